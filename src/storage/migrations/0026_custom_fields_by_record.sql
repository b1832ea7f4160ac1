CREATE TABLE "crossbook"."record_mapping_problems" (
	"application_id" uuid NOT NULL,
	"connection_id" uuid NOT NULL,
	"record" text NOT NULL,
	"field" text NOT NULL,
	"source" text NOT NULL,
	"problem" text NOT NULL,
	"remote_id" text,
	"since" timestamp with time zone NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"reported_at" timestamp with time zone NOT NULL,
	CONSTRAINT "record_mapping_problems_pk" PRIMARY KEY("application_id","connection_id","record","field","source","problem")
);
--> statement-breakpoint
CREATE TABLE "crossbook"."record_fields" (
	"application_id" uuid NOT NULL,
	"record" text NOT NULL,
	"version" integer NOT NULL,
	"fields" jsonb NOT NULL,
	"typed_schema" boolean DEFAULT false NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "record_fields_application_id_record_pk" PRIMARY KEY("application_id","record")
);
--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD COLUMN "record_field_mappings" jsonb;--> statement-breakpoint
ALTER TABLE "crossbook"."record_mapping_problems" ADD CONSTRAINT "record_mapping_problems_connection" FOREIGN KEY ("connection_id","application_id") REFERENCES "crossbook"."connections"("id","application_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."record_fields" ADD CONSTRAINT "record_fields_application_id_applications_id_fk" FOREIGN KEY ("application_id") REFERENCES "crossbook"."applications"("id") ON DELETE cascade ON UPDATE no action;
--> step problems
-- in batches
WITH batch AS MATERIALIZED (
  SELECT old.* FROM crossbook.mapping_problems AS old
  JOIN crossbook.connections AS connection
    ON connection.application_id = old.application_id AND connection.id = old.connection_id
  WHERE NOT EXISTS (
    SELECT FROM crossbook.record_mapping_problems AS copy
    WHERE copy.application_id = old.application_id AND copy.connection_id = old.connection_id
      AND copy.field = old.field AND copy.source = old.source AND copy.problem = old.problem
  )
  LIMIT 2000
  FOR KEY SHARE OF connection
), copied AS (
  INSERT INTO crossbook.record_mapping_problems
    (application_id, connection_id, record, field, source, problem, remote_id, since, seen_at, reported_at)
  SELECT application_id, connection_id, CASE problem WHEN 'UNKNOWN_OBJECT' THEN '' ELSE 'CONTACT' END,
    field, source, problem, remote_id, since, seen_at, reported_at
  FROM batch ON CONFLICT DO NOTHING
)
SELECT 1 FROM batch LIMIT 1;
