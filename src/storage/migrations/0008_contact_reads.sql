ALTER TABLE "crossbook"."connections" ADD COLUMN "credentials_version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD COLUMN "configuration_bytes" integer;--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD COLUMN "refused_at" timestamp with time zone;