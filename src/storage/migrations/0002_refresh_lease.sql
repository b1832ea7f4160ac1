ALTER TABLE "crossbook"."credentials" ADD COLUMN "refresh_lease" uuid;--> statement-breakpoint
ALTER TABLE "crossbook"."credentials" ADD COLUMN "refreshing_generation" integer;--> statement-breakpoint
ALTER TABLE "crossbook"."credentials" ADD COLUMN "refreshing_until" timestamp with time zone;