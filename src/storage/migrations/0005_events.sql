ALTER TABLE "crossbook"."webhook_deliveries" DROP CONSTRAINT "webhook_deliveries_endpoint_id_webhook_endpoints_id_fk";
--> statement-breakpoint
DROP INDEX "crossbook"."events_sequence";--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD COLUMN "event_sequence" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD COLUMN "last_event_id" uuid;--> statement-breakpoint
ALTER TABLE "crossbook"."webhook_endpoints" ADD COLUMN "failing_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "crossbook"."webhook_endpoints" ADD COLUMN "failures" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "crossbook"."webhook_endpoints" ADD COLUMN "paused_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "crossbook"."webhook_endpoints" ADD COLUMN "lease" uuid;--> statement-breakpoint
ALTER TABLE "crossbook"."webhook_endpoints" ADD COLUMN "leased_until" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_of_endpoint" ON "crossbook"."webhook_deliveries" USING btree ("endpoint_id","next_attempt_at");--> statement-breakpoint
CREATE UNIQUE INDEX "events_sequence" ON "crossbook"."events" USING btree ("connection_id","sequence") WHERE "crossbook"."events"."connection_id" is not null;