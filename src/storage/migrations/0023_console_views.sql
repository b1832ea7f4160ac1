CREATE TABLE "crossbook"."webhook_responses" (
	"application_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"attempt" integer NOT NULL,
	"status" integer,
	"reason" text,
	"body" text,
	"ms" integer NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_responses_pk" PRIMARY KEY("application_id","event_id","endpoint_id","created_at")
);
--> statement-breakpoint
ALTER TABLE "crossbook"."usage" ADD COLUMN "tallies" jsonb;--> statement-breakpoint
ALTER TABLE "crossbook"."usage" ADD COLUMN "recent_errors" jsonb;--> statement-breakpoint
ALTER TABLE "crossbook"."webhook_responses" ADD CONSTRAINT "webhook_responses_event" FOREIGN KEY ("application_id","event_id") REFERENCES "crossbook"."events"("application_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_responses_of_endpoint" ON "crossbook"."webhook_responses" USING btree ("application_id","endpoint_id","created_at","event_id");--> statement-breakpoint
CREATE INDEX "webhook_responses_by_age" ON "crossbook"."webhook_responses" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "customers_by_id_prefix" ON "crossbook"."customers" USING btree ("application_id",(lower("customer_id") collate "C"),"customer_id");--> statement-breakpoint
CREATE INDEX CONCURRENTLY "customers_by_name" ON "crossbook"."customers" USING btree ("application_id",(lower("name") collate "C"),"customer_id");