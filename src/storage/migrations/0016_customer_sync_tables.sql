CREATE TABLE "crossbook"."customer_sync_tables" (
	"application_id" uuid NOT NULL,
	"customer_id" text NOT NULL,
	"destination" text NOT NULL,
	"schema_name" text NOT NULL,
	"table_name" text NOT NULL,
	CONSTRAINT "customer_sync_tables_pk" PRIMARY KEY("application_id","customer_id","destination","schema_name","table_name")
);
--> statement-breakpoint
ALTER TABLE "crossbook"."customer_sync_tables" ADD CONSTRAINT "customer_sync_tables_application_id_applications_id_fk" FOREIGN KEY ("application_id") REFERENCES "crossbook"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
DROP TABLE "crossbook"."sync_tables" CASCADE;