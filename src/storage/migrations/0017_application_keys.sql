--> step columns
ALTER TABLE "crossbook"."webhook_deliveries" ADD COLUMN "application_id" uuid;
--> statement-breakpoint
ALTER TABLE "crossbook"."webhook_deliveries" ADD COLUMN "version" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "crossbook"."connect_flows" ADD COLUMN "application_id" uuid;
--> statement-breakpoint
CREATE FUNCTION "crossbook"."fill_application_id"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  IF TG_TABLE_NAME = 'webhook_deliveries' THEN
    SELECT application_id INTO NEW.application_id FROM crossbook.events WHERE id = NEW.event_id;
  ELSE
    SELECT application_id INTO NEW.application_id FROM crossbook.connect_links WHERE id = NEW.link_id;
  END IF;
  RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "fill_application_id" BEFORE INSERT ON "crossbook"."webhook_deliveries"
FOR EACH ROW WHEN (NEW.application_id IS NULL) EXECUTE FUNCTION "crossbook"."fill_application_id"();
--> statement-breakpoint
CREATE TRIGGER "fill_application_id" BEFORE INSERT ON "crossbook"."connect_flows"
FOR EACH ROW WHEN (NEW.application_id IS NULL) EXECUTE FUNCTION "crossbook"."fill_application_id"();
--> step rows
-- in batches
WITH batch AS MATERIALIZED (
  SELECT event_id, endpoint_id FROM crossbook.webhook_deliveries WHERE application_id IS NULL LIMIT 2000
), filled AS (
  UPDATE crossbook.webhook_deliveries AS stored SET application_id = event.application_id
  FROM batch JOIN crossbook.events AS event ON event.id = batch.event_id
  WHERE stored.event_id = batch.event_id AND stored.endpoint_id = batch.endpoint_id
)
SELECT 1 FROM batch LIMIT 1;
--> statement-breakpoint
-- in batches
WITH batch AS MATERIALIZED (
  SELECT state_hash, link_id FROM crossbook.connect_flows WHERE application_id IS NULL LIMIT 2000
), filled AS (
  UPDATE crossbook.connect_flows AS stored SET application_id = link.application_id
  FROM batch JOIN crossbook.connect_links AS link ON link.id = batch.link_id
  WHERE stored.state_hash = batch.state_hash
)
SELECT 1 FROM batch LIMIT 1;
--> step checks
ALTER TABLE "crossbook"."webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_application_id_given" CHECK (application_id IS NOT NULL) NOT VALID;
--> statement-breakpoint
ALTER TABLE "crossbook"."connect_flows" ADD CONSTRAINT "connect_flows_application_id_given" CHECK (application_id IS NOT NULL) NOT VALID;
--> step checked
ALTER TABLE "crossbook"."webhook_deliveries" VALIDATE CONSTRAINT "webhook_deliveries_application_id_given";
--> statement-breakpoint
ALTER TABLE "crossbook"."connect_flows" VALIDATE CONSTRAINT "connect_flows_application_id_given";
--> step indexes
CREATE UNIQUE INDEX CONCURRENTLY "connections_pk" ON "crossbook"."connections" USING btree ("application_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY "credentials_pk" ON "crossbook"."credentials" USING btree ("application_id","connection_id");
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY "credentials_of_connection" ON "crossbook"."credentials" USING btree ("connection_id");
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY "mapping_problems_pk" ON "crossbook"."mapping_problems" USING btree ("application_id","connection_id","field","source","problem");
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY "mapping_problems_of_connection" ON "crossbook"."mapping_problems" USING btree ("connection_id","field","source","problem");
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY "webhook_endpoints_pk" ON "crossbook"."webhook_endpoints" USING btree ("application_id","id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "webhook_endpoints_by_id" ON "crossbook"."webhook_endpoints" USING btree ("id");
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY "connect_links_pk" ON "crossbook"."connect_links" USING btree ("application_id","id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "connect_links_by_id" ON "crossbook"."connect_links" USING btree ("id");
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY "connect_flows_pk" ON "crossbook"."connect_flows" USING btree ("application_id","state_hash");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "connect_flows_by_state" ON "crossbook"."connect_flows" USING btree ("state_hash");
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY "events_pk" ON "crossbook"."events" USING btree ("application_id","id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "events_by_id" ON "crossbook"."events" USING btree ("id");
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY "events_of_connection" ON "crossbook"."events" USING btree ("application_id","connection_id","sequence") WHERE "crossbook"."events"."connection_id" is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY "webhook_deliveries_pk" ON "crossbook"."webhook_deliveries" USING btree ("application_id","event_id","endpoint_id");
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY "webhook_deliveries_of_event" ON "crossbook"."webhook_deliveries" USING btree ("event_id","endpoint_id");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "row_removals_by_age" ON "crossbook"."row_removals" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "syncs_by_lag" ON "crossbook"."syncs" USING btree ("interval_seconds","synced_until") WHERE not "crossbook"."syncs"."is_paused" and "crossbook"."syncs"."pause_reason" is null and "crossbook"."syncs"."problem" is null;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY "syncs_failed" ON "crossbook"."syncs" USING btree ("application_id") WHERE "crossbook"."syncs"."failures" > 0;
--> step connections
ALTER TABLE "crossbook"."connections" DROP CONSTRAINT "connections_pkey";
--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD CONSTRAINT "connections_pk" PRIMARY KEY USING INDEX "connections_pk";
--> step credentials
ALTER TABLE "crossbook"."credentials" DROP CONSTRAINT "credentials_pkey";
--> statement-breakpoint
ALTER TABLE "crossbook"."credentials" ADD CONSTRAINT "credentials_pk" PRIMARY KEY USING INDEX "credentials_pk";
--> step mapping_problems
ALTER TABLE "crossbook"."mapping_problems" DROP CONSTRAINT "mapping_problems_connection_id_field_source_problem_pk";
--> statement-breakpoint
ALTER TABLE "crossbook"."mapping_problems" ADD CONSTRAINT "mapping_problems_pk" PRIMARY KEY USING INDEX "mapping_problems_pk";
--> step webhook_endpoints
ALTER TABLE "crossbook"."webhook_endpoints" DROP CONSTRAINT "webhook_endpoints_pkey";
--> statement-breakpoint
ALTER TABLE "crossbook"."webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_pk" PRIMARY KEY USING INDEX "webhook_endpoints_pk";
--> statement-breakpoint
DROP INDEX "crossbook"."webhook_endpoints_by_application";
--> step events
ALTER TABLE "crossbook"."webhook_deliveries" DROP CONSTRAINT "webhook_deliveries_event_id_events_id_fk";
--> statement-breakpoint
ALTER TABLE "crossbook"."events" DROP CONSTRAINT "events_pkey";
--> statement-breakpoint
ALTER TABLE "crossbook"."events" ADD CONSTRAINT "events_pk" PRIMARY KEY USING INDEX "events_pk";
--> statement-breakpoint
DROP INDEX "crossbook"."events_sequence";
--> statement-breakpoint
ALTER TABLE "crossbook"."webhook_deliveries" ALTER COLUMN "application_id" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "crossbook"."webhook_deliveries" DROP CONSTRAINT "webhook_deliveries_application_id_given";
--> statement-breakpoint
ALTER TABLE "crossbook"."webhook_deliveries" DROP CONSTRAINT "webhook_deliveries_event_id_endpoint_id_pk";
--> statement-breakpoint
ALTER TABLE "crossbook"."webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_pk" PRIMARY KEY USING INDEX "webhook_deliveries_pk";
--> statement-breakpoint
ALTER TABLE "crossbook"."webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_event" FOREIGN KEY ("application_id","event_id") REFERENCES "crossbook"."events"("application_id","id") ON DELETE cascade ON UPDATE no action NOT VALID;
--> step connect_links
ALTER TABLE "crossbook"."connect_flows" DROP CONSTRAINT "connect_flows_link_id_connect_links_id_fk";
--> statement-breakpoint
ALTER TABLE "crossbook"."connect_links" DROP CONSTRAINT "connect_links_pkey";
--> statement-breakpoint
ALTER TABLE "crossbook"."connect_links" ADD CONSTRAINT "connect_links_pk" PRIMARY KEY USING INDEX "connect_links_pk";
--> statement-breakpoint
ALTER TABLE "crossbook"."connect_flows" ALTER COLUMN "application_id" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "crossbook"."connect_flows" DROP CONSTRAINT "connect_flows_application_id_given";
--> statement-breakpoint
ALTER TABLE "crossbook"."connect_flows" DROP CONSTRAINT "connect_flows_pkey";
--> statement-breakpoint
ALTER TABLE "crossbook"."connect_flows" ADD CONSTRAINT "connect_flows_pk" PRIMARY KEY USING INDEX "connect_flows_pk";
--> statement-breakpoint
ALTER TABLE "crossbook"."connect_flows" ADD CONSTRAINT "connect_flows_link" FOREIGN KEY ("application_id","link_id") REFERENCES "crossbook"."connect_links"("application_id","id") ON DELETE cascade ON UPDATE no action NOT VALID;
--> step references
ALTER TABLE "crossbook"."webhook_deliveries" VALIDATE CONSTRAINT "webhook_deliveries_event";
--> statement-breakpoint
ALTER TABLE "crossbook"."connect_flows" VALIDATE CONSTRAINT "connect_flows_link";
