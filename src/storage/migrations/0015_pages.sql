CREATE TABLE "crossbook"."branding" (
	"application_id" uuid PRIMARY KEY NOT NULL,
	"display_name" text,
	"accent_color" text,
	"logo" text,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "crossbook"."connect_links" ADD COLUMN "purpose" text DEFAULT 'CONNECT' NOT NULL;--> statement-breakpoint
ALTER TABLE "crossbook"."connect_links" ADD COLUMN "map_fields" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "crossbook"."connect_links" ADD COLUMN "session_hash" text;--> statement-breakpoint
ALTER TABLE "crossbook"."connect_links" ADD COLUMN "session_expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "crossbook"."connect_links" ADD COLUMN "field_choices" jsonb;--> statement-breakpoint
ALTER TABLE "crossbook"."branding" ADD CONSTRAINT "branding_application_id_applications_id_fk" FOREIGN KEY ("application_id") REFERENCES "crossbook"."applications"("id") ON DELETE cascade ON UPDATE no action;