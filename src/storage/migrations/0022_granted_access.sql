ALTER TABLE "crossbook"."connections" ADD COLUMN "readable_records" text[] DEFAULT '{"CONTACT"}' NOT NULL;--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD COLUMN "writable_records" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "crossbook"."connect_links" ADD COLUMN "records" text[] DEFAULT '{"CONTACT"}' NOT NULL;--> statement-breakpoint
ALTER TABLE "crossbook"."connect_links" ADD COLUMN "access" text DEFAULT 'READ' NOT NULL;