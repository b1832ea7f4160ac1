CREATE TABLE "crossbook"."usage" (
	"application_id" uuid NOT NULL,
	"customer_id" text NOT NULL,
	"hour" timestamp with time zone NOT NULL,
	"requests" bigint NOT NULL,
	"errors" bigint NOT NULL,
	"provider_calls" bigint NOT NULL,
	"cost" bigint NOT NULL,
	CONSTRAINT "usage_application_id_customer_id_hour_pk" PRIMARY KEY("application_id","customer_id","hour")
);
--> statement-breakpoint
ALTER TABLE "crossbook"."applications" ADD COLUMN "deleted_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "crossbook"."usage" ADD CONSTRAINT "usage_application_id_applications_id_fk" FOREIGN KEY ("application_id") REFERENCES "crossbook"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "usage_by_hour" ON "crossbook"."usage" USING btree ("hour","application_id");