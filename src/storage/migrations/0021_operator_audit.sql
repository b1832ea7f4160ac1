CREATE TABLE "crossbook"."operator_audit" (
	"application_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"session_id" uuid NOT NULL,
	"action" text NOT NULL,
	"customer_id" text,
	"subject" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "operator_audit_application_id_id_pk" PRIMARY KEY("application_id","id")
);
--> statement-breakpoint
CREATE INDEX "operator_audit_by_id" ON "crossbook"."operator_audit" USING btree ("id");--> statement-breakpoint
CREATE INDEX "operator_audit_by_age" ON "crossbook"."operator_audit" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "operator_audit_of_session" ON "crossbook"."operator_audit" USING btree ("session_id","action");