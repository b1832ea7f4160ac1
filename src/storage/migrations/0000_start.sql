CREATE SCHEMA IF NOT EXISTS "crossbook";
--> statement-breakpoint
CREATE TABLE "crossbook"."api_keys" (
	"public_id" text PRIMARY KEY NOT NULL,
	"application_id" uuid NOT NULL,
	"name" text NOT NULL,
	"secret_hash" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "crossbook"."applications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "crossbook"."connections" (
	"id" uuid PRIMARY KEY NOT NULL,
	"application_id" uuid NOT NULL,
	"customer_id" text NOT NULL,
	"provider_name" text NOT NULL,
	"provider_id" uuid NOT NULL,
	"instance_url" text,
	"schema_mappings_config" jsonb,
	"entity_mappings" jsonb,
	"connection_sync_config" jsonb,
	"status" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "connections_of_customer" UNIQUE("application_id","customer_id","provider_name"),
	CONSTRAINT "connections_in_application" UNIQUE("id","application_id"),
	CONSTRAINT "connections_status" CHECK ("crossbook"."connections"."status" in ('connected', 'reauthorize', 'unauthorized'))
);
--> statement-breakpoint
CREATE TABLE "crossbook"."contact_cache" (
	"application_id" uuid NOT NULL,
	"key_hash" text NOT NULL,
	"connection_id" uuid NOT NULL,
	"sealed" text NOT NULL,
	"bytes" integer NOT NULL,
	"fetched_at" timestamp with time zone NOT NULL,
	CONSTRAINT "contact_cache_application_id_key_hash_pk" PRIMARY KEY("application_id","key_hash")
);
--> statement-breakpoint
CREATE TABLE "crossbook"."credentials" (
	"connection_id" uuid PRIMARY KEY NOT NULL,
	"application_id" uuid NOT NULL,
	"sealed" text,
	"key_id" text,
	"generation" integer NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "crossbook"."customers" (
	"application_id" uuid NOT NULL,
	"customer_id" text NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"version" integer NOT NULL,
	"token_generation" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "customers_application_id_customer_id_pk" PRIMARY KEY("application_id","customer_id")
);
--> statement-breakpoint
ALTER TABLE "crossbook"."api_keys" ADD CONSTRAINT "api_keys_application_id_applications_id_fk" FOREIGN KEY ("application_id") REFERENCES "crossbook"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD CONSTRAINT "connections_customer" FOREIGN KEY ("application_id","customer_id") REFERENCES "crossbook"."customers"("application_id","customer_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."contact_cache" ADD CONSTRAINT "contact_cache_connection" FOREIGN KEY ("connection_id","application_id") REFERENCES "crossbook"."connections"("id","application_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."credentials" ADD CONSTRAINT "credentials_connection" FOREIGN KEY ("connection_id","application_id") REFERENCES "crossbook"."connections"("id","application_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."customers" ADD CONSTRAINT "customers_application_id_applications_id_fk" FOREIGN KEY ("application_id") REFERENCES "crossbook"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_by_application" ON "crossbook"."api_keys" USING btree ("application_id");--> statement-breakpoint
CREATE INDEX "contact_cache_by_connection" ON "crossbook"."contact_cache" USING btree ("connection_id");--> statement-breakpoint
CREATE INDEX "contact_cache_by_age" ON "crossbook"."contact_cache" USING btree ("fetched_at");--> statement-breakpoint
CREATE INDEX "credentials_by_key" ON "crossbook"."credentials" USING btree ("key_id");