LOCK TABLE "crossbook"."api_keys" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
UPDATE "crossbook"."api_keys" AS "kept" SET "name" = "kept"."name" || ' ' || "kept"."public_id"
FROM "crossbook"."api_keys" AS "older"
WHERE "kept"."revoked_at" IS NULL AND "older"."revoked_at" IS NULL
  AND "older"."application_id" = "kept"."application_id" AND "older"."name" = "kept"."name"
  AND ("older"."created_at", "older"."public_id") < ("kept"."created_at", "kept"."public_id");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_active_name" ON "crossbook"."api_keys" USING btree ("application_id","name") WHERE "crossbook"."api_keys"."revoked_at" is null;