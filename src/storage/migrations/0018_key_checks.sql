ALTER TABLE "crossbook"."api_keys" ADD COLUMN "sealed_check" text;--> statement-breakpoint
ALTER TABLE "crossbook"."api_keys" ADD COLUMN "key_id" text;--> statement-breakpoint
CREATE INDEX CONCURRENTLY "api_keys_by_key" ON "crossbook"."api_keys" USING btree ("key_id");