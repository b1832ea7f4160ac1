CREATE TABLE "crossbook"."connect_flows" (
	"state_hash" text PRIMARY KEY NOT NULL,
	"link_id" uuid NOT NULL,
	"provider_name" text NOT NULL,
	"cookie_hash" text NOT NULL,
	"login_origin" text NOT NULL,
	"oauth_client_id" text NOT NULL,
	"sealed_verifier" text NOT NULL,
	"key_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "crossbook"."connect_links" (
	"id" uuid PRIMARY KEY NOT NULL,
	"application_id" uuid NOT NULL,
	"customer_id" text NOT NULL,
	"providers" text[] NOT NULL,
	"return_url" text NOT NULL,
	"mode" text NOT NULL,
	"confirm" boolean NOT NULL,
	"login_url" text,
	"optional_scopes" text[] DEFAULT '{}' NOT NULL,
	"allow_account_change" boolean NOT NULL,
	"status" text NOT NULL,
	"failure" text,
	"provider_name" text,
	"connection_id" uuid,
	"sealed_grant" text,
	"key_id" text,
	"code_hash" text,
	"code_expires_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "crossbook"."events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"application_id" uuid NOT NULL,
	"customer_id" text NOT NULL,
	"connection_id" uuid,
	"type" text NOT NULL,
	"sequence" integer,
	"data" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "crossbook"."oauth_clients" (
	"application_id" uuid NOT NULL,
	"provider_name" text NOT NULL,
	"client_id" text NOT NULL,
	"sealed_secret" text NOT NULL,
	"key_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "oauth_clients_application_id_provider_name_pk" PRIMARY KEY("application_id","provider_name")
);
--> statement-breakpoint
CREATE TABLE "crossbook"."webhook_deliveries" (
	"event_id" uuid NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_deliveries_event_id_endpoint_id_pk" PRIMARY KEY("event_id","endpoint_id")
);
--> statement-breakpoint
CREATE TABLE "crossbook"."webhook_endpoints" (
	"id" uuid PRIMARY KEY NOT NULL,
	"application_id" uuid NOT NULL,
	"url" text NOT NULL,
	"event_types" text[] NOT NULL,
	"enabled" boolean NOT NULL,
	"sealed_secret" text NOT NULL,
	"sealed_previous_secret" text,
	"previous_secret_until" timestamp with time zone,
	"key_id" text NOT NULL,
	"last_failure" text,
	"last_failure_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD COLUMN "status_reason" text;--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD COLUMN "status_changed_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD COLUMN "account_id" text;--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD COLUMN "account_name" text;--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD COLUMN "account_url" text;--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD COLUMN "account_user_id" text;--> statement-breakpoint
ALTER TABLE "crossbook"."connections" ADD COLUMN "granted_scopes" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "crossbook"."credentials" ADD COLUMN "oauth_client_id" text;--> statement-breakpoint
ALTER TABLE "crossbook"."connect_flows" ADD CONSTRAINT "connect_flows_link_id_connect_links_id_fk" FOREIGN KEY ("link_id") REFERENCES "crossbook"."connect_links"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."connect_links" ADD CONSTRAINT "connect_links_customer" FOREIGN KEY ("application_id","customer_id") REFERENCES "crossbook"."customers"("application_id","customer_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."events" ADD CONSTRAINT "events_application_id_applications_id_fk" FOREIGN KEY ("application_id") REFERENCES "crossbook"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."oauth_clients" ADD CONSTRAINT "oauth_clients_application_id_applications_id_fk" FOREIGN KEY ("application_id") REFERENCES "crossbook"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_event_id_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "crossbook"."events"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_endpoint_id_webhook_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "crossbook"."webhook_endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crossbook"."webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_application_id_applications_id_fk" FOREIGN KEY ("application_id") REFERENCES "crossbook"."applications"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "connect_flows_by_link" ON "crossbook"."connect_flows" USING btree ("link_id");--> statement-breakpoint
CREATE INDEX "connect_flows_by_cookie" ON "crossbook"."connect_flows" USING btree ("cookie_hash");--> statement-breakpoint
CREATE INDEX "connect_links_by_customer" ON "crossbook"."connect_links" USING btree ("application_id","customer_id");--> statement-breakpoint
CREATE INDEX "connect_links_by_key" ON "crossbook"."connect_links" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "connect_links_by_end" ON "crossbook"."connect_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "events_by_time" ON "crossbook"."events" USING btree ("application_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "events_sequence" ON "crossbook"."events" USING btree ("connection_id","sequence");--> statement-breakpoint
CREATE INDEX "oauth_clients_by_key" ON "crossbook"."oauth_clients" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "crossbook"."webhook_deliveries" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_by_application" ON "crossbook"."webhook_endpoints" USING btree ("application_id");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_by_key" ON "crossbook"."webhook_endpoints" USING btree ("key_id");