CREATE TABLE "crossbook"."contact_fields" (
	"application_id" uuid PRIMARY KEY NOT NULL,
	"version" integer NOT NULL,
	"fields" jsonb NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "crossbook"."mapping_problems" (
	"application_id" uuid NOT NULL,
	"connection_id" uuid NOT NULL,
	"field" text NOT NULL,
	"source" text NOT NULL,
	"problem" text NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"reported_at" timestamp with time zone NOT NULL,
	CONSTRAINT "mapping_problems_connection_id_field_source_problem_pk" PRIMARY KEY("connection_id","field","source","problem")
);
--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD COLUMN "contact_field_mappings" jsonb;--> statement-breakpoint
ALTER TABLE "crossbook"."contact_fields" ADD CONSTRAINT "contact_fields_application_id_applications_id_fk" FOREIGN KEY ("application_id") REFERENCES "crossbook"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."mapping_problems" ADD CONSTRAINT "mapping_problems_connection" FOREIGN KEY ("connection_id","application_id") REFERENCES "crossbook"."connections"("id","application_id") ON DELETE cascade ON UPDATE no action;