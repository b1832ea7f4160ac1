CREATE TABLE "crossbook"."writes" (
	"application_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"customer_id" text NOT NULL,
	"connection_id" uuid NOT NULL,
	"provider_name" text NOT NULL,
	"operation" text NOT NULL,
	"credential_id" text NOT NULL,
	"key_hash" text,
	"input_hash" text NOT NULL,
	"sealed" text NOT NULL,
	"key_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"completed_at" timestamp with time zone,
	"is_open" boolean NOT NULL,
	"lease" uuid,
	"leased_until" timestamp with time zone,
	"look_again_at" timestamp with time zone,
	"attempts" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "writes_pk" PRIMARY KEY("application_id","id")
);
--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD COLUMN "written_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "crossbook"."writes" ADD CONSTRAINT "writes_customer" FOREIGN KEY ("application_id","customer_id") REFERENCES "crossbook"."customers"("application_id","customer_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "writes_by_idempotency_key" ON "crossbook"."writes" USING btree ("application_id","key_hash") WHERE "crossbook"."writes"."key_hash" is not null;--> statement-breakpoint
CREATE INDEX "writes_by_customer" ON "crossbook"."writes" USING btree ("application_id","customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "writes_by_look" ON "crossbook"."writes" USING btree ("look_again_at") WHERE "crossbook"."writes"."look_again_at" is not null;--> statement-breakpoint
CREATE INDEX "writes_by_age" ON "crossbook"."writes" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "writes_by_key" ON "crossbook"."writes" USING btree ("key_id");