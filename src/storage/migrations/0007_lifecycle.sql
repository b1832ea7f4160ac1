CREATE TABLE "crossbook"."job_leases" (
	"job" text PRIMARY KEY NOT NULL,
	"holder" uuid NOT NULL,
	"until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "crossbook"."credentials" ADD COLUMN "idle_since" timestamp with time zone;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "connections_by_provider" ON "crossbook"."connections" USING btree ("application_id","provider_name","customer_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "connections_by_status" ON "crossbook"."connections" USING btree ("application_id","status","customer_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "connections_by_account" ON "crossbook"."connections" USING btree ("provider_name","account_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "credentials_by_idleness" ON "crossbook"."credentials" USING btree (greatest("updated_at", "idle_since"));--> statement-breakpoint
CREATE INDEX CONCURRENTLY "customers_by_email" ON "crossbook"."customers" USING btree ("application_id",lower("email"),"customer_id");