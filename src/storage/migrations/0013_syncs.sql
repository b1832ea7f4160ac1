CREATE TABLE "crossbook"."row_removals" (
	"application_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"customer_id" text NOT NULL,
	"tables" jsonb NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone NOT NULL,
	"deleted_rows" integer DEFAULT 0 NOT NULL,
	"lease" uuid,
	"leased_until" timestamp with time zone,
	CONSTRAINT "row_removals_application_id_id_pk" PRIMARY KEY("application_id","id")
);
--> statement-breakpoint
CREATE TABLE "crossbook"."sync_configurations" (
	"application_id" uuid NOT NULL,
	"provider_name" text NOT NULL,
	"configuration" jsonb NOT NULL,
	"version" integer NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sync_configurations_application_id_provider_name_pk" PRIMARY KEY("application_id","provider_name")
);
--> statement-breakpoint
CREATE TABLE "crossbook"."sync_destinations" (
	"application_id" uuid PRIMARY KEY NOT NULL,
	"host" text NOT NULL,
	"port" integer NOT NULL,
	"database_name" text NOT NULL,
	"user_name" text NOT NULL,
	"schema_name" text NOT NULL,
	"ca_certificate" text,
	"sealed_password" text NOT NULL,
	"key_id" text NOT NULL,
	"version" integer NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "crossbook"."sync_plans" (
	"application_id" uuid NOT NULL,
	"connection_id" uuid NOT NULL,
	"planned_for" text NOT NULL,
	"due_at" timestamp with time zone,
	"lease" uuid,
	"leased_until" timestamp with time zone,
	CONSTRAINT "sync_plans_application_id_connection_id_pk" PRIMARY KEY("application_id","connection_id")
);
--> statement-breakpoint
CREATE TABLE "crossbook"."sync_runs" (
	"application_id" uuid NOT NULL,
	"connection_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"object" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"finished_at" timestamp with time zone NOT NULL,
	"is_full" boolean NOT NULL,
	"records" integer NOT NULL,
	"deleted" integer NOT NULL,
	"error" jsonb,
	CONSTRAINT "sync_runs_pk" PRIMARY KEY("application_id","connection_id","kind","object","finished_at")
);
--> statement-breakpoint
CREATE TABLE "crossbook"."sync_tables" (
	"application_id" uuid NOT NULL,
	"destination" text NOT NULL,
	"schema_name" text NOT NULL,
	"table_name" text NOT NULL,
	CONSTRAINT "sync_tables_pk" PRIMARY KEY("application_id","destination","schema_name","table_name")
);
--> statement-breakpoint
CREATE TABLE "crossbook"."syncs" (
	"application_id" uuid NOT NULL,
	"connection_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"object" text NOT NULL,
	"place" integer NOT NULL,
	"schema_name" text,
	"table_name" text NOT NULL,
	"interval_seconds" integer NOT NULL,
	"is_paused" boolean DEFAULT false NOT NULL,
	"pause_reason" text,
	"problem" jsonb,
	"next_run_at" timestamp with time zone NOT NULL,
	"is_requested" boolean DEFAULT false NOT NULL,
	"wants_full" boolean DEFAULT false NOT NULL,
	"position" jsonb,
	"started_at" timestamp with time zone,
	"records" integer DEFAULT 0 NOT NULL,
	"deleted" integer DEFAULT 0 NOT NULL,
	"synced_until" timestamp with time zone,
	"full_at" timestamp with time zone,
	"columns_key" text,
	"failures" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "syncs_pk" PRIMARY KEY("application_id","connection_id","kind","object")
);
--> statement-breakpoint
ALTER TABLE "crossbook"."row_removals" ADD CONSTRAINT "row_removals_application_id_applications_id_fk" FOREIGN KEY ("application_id") REFERENCES "crossbook"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."sync_configurations" ADD CONSTRAINT "sync_configurations_application_id_applications_id_fk" FOREIGN KEY ("application_id") REFERENCES "crossbook"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."sync_destinations" ADD CONSTRAINT "sync_destinations_application_id_applications_id_fk" FOREIGN KEY ("application_id") REFERENCES "crossbook"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."sync_plans" ADD CONSTRAINT "sync_plans_connection" FOREIGN KEY ("connection_id","application_id") REFERENCES "crossbook"."connections"("id","application_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."sync_runs" ADD CONSTRAINT "sync_runs_sync" FOREIGN KEY ("application_id","connection_id","kind","object") REFERENCES "crossbook"."syncs"("application_id","connection_id","kind","object") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."sync_tables" ADD CONSTRAINT "sync_tables_application_id_applications_id_fk" FOREIGN KEY ("application_id") REFERENCES "crossbook"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."syncs" ADD CONSTRAINT "syncs_plan" FOREIGN KEY ("application_id","connection_id") REFERENCES "crossbook"."sync_plans"("application_id","connection_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "row_removals_by_attempt" ON "crossbook"."row_removals" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "row_removals_by_customer" ON "crossbook"."row_removals" USING btree ("application_id","customer_id");--> statement-breakpoint
CREATE INDEX "sync_destinations_by_key" ON "crossbook"."sync_destinations" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "sync_plans_by_due" ON "crossbook"."sync_plans" USING btree ("application_id","due_at");