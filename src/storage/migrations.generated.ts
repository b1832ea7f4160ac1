// Made from migrations/*.sql by `npm run db:generate`. Not to be edited.
export const MIGRATIONS: readonly {
  readonly name: string;
  readonly statements: readonly string[];
  readonly requires?: string;
}[] =
[
  {
    "name": "0000_start",
    "statements": [
      "CREATE SCHEMA IF NOT EXISTS \"crossbook\";",
      "CREATE TABLE \"crossbook\".\"api_keys\" (\n\t\"public_id\" text PRIMARY KEY NOT NULL,\n\t\"application_id\" uuid NOT NULL,\n\t\"name\" text NOT NULL,\n\t\"secret_hash\" text NOT NULL,\n\t\"created_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\t\"revoked_at\" timestamp with time zone\n);",
      "CREATE TABLE \"crossbook\".\"applications\" (\n\t\"id\" uuid PRIMARY KEY NOT NULL,\n\t\"name\" text NOT NULL,\n\t\"created_at\" timestamp with time zone DEFAULT now() NOT NULL\n);",
      "CREATE TABLE \"crossbook\".\"connections\" (\n\t\"id\" uuid PRIMARY KEY NOT NULL,\n\t\"application_id\" uuid NOT NULL,\n\t\"customer_id\" text NOT NULL,\n\t\"provider_name\" text NOT NULL,\n\t\"provider_id\" uuid NOT NULL,\n\t\"instance_url\" text,\n\t\"schema_mappings_config\" jsonb,\n\t\"entity_mappings\" jsonb,\n\t\"connection_sync_config\" jsonb,\n\t\"status\" text NOT NULL,\n\t\"created_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\t\"updated_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\tCONSTRAINT \"connections_of_customer\" UNIQUE(\"application_id\",\"customer_id\",\"provider_name\"),\n\tCONSTRAINT \"connections_in_application\" UNIQUE(\"id\",\"application_id\"),\n\tCONSTRAINT \"connections_status\" CHECK (\"crossbook\".\"connections\".\"status\" in ('connected', 'reauthorize', 'unauthorized'))\n);",
      "CREATE TABLE \"crossbook\".\"contact_cache\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"key_hash\" text NOT NULL,\n\t\"connection_id\" uuid NOT NULL,\n\t\"sealed\" text NOT NULL,\n\t\"bytes\" integer NOT NULL,\n\t\"fetched_at\" timestamp with time zone NOT NULL,\n\tCONSTRAINT \"contact_cache_application_id_key_hash_pk\" PRIMARY KEY(\"application_id\",\"key_hash\")\n);",
      "CREATE TABLE \"crossbook\".\"credentials\" (\n\t\"connection_id\" uuid PRIMARY KEY NOT NULL,\n\t\"application_id\" uuid NOT NULL,\n\t\"sealed\" text,\n\t\"key_id\" text,\n\t\"generation\" integer NOT NULL,\n\t\"updated_at\" timestamp with time zone DEFAULT now() NOT NULL\n);",
      "CREATE TABLE \"crossbook\".\"customers\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"customer_id\" text NOT NULL,\n\t\"name\" text NOT NULL,\n\t\"email\" text NOT NULL,\n\t\"version\" integer NOT NULL,\n\t\"token_generation\" integer DEFAULT 0 NOT NULL,\n\t\"created_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\t\"updated_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\tCONSTRAINT \"customers_application_id_customer_id_pk\" PRIMARY KEY(\"application_id\",\"customer_id\")\n);",
      "ALTER TABLE \"crossbook\".\"api_keys\" ADD CONSTRAINT \"api_keys_application_id_applications_id_fk\" FOREIGN KEY (\"application_id\") REFERENCES \"crossbook\".\"applications\"(\"id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"connections\" ADD CONSTRAINT \"connections_customer\" FOREIGN KEY (\"application_id\",\"customer_id\") REFERENCES \"crossbook\".\"customers\"(\"application_id\",\"customer_id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"contact_cache\" ADD CONSTRAINT \"contact_cache_connection\" FOREIGN KEY (\"connection_id\",\"application_id\") REFERENCES \"crossbook\".\"connections\"(\"id\",\"application_id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"credentials\" ADD CONSTRAINT \"credentials_connection\" FOREIGN KEY (\"connection_id\",\"application_id\") REFERENCES \"crossbook\".\"connections\"(\"id\",\"application_id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"customers\" ADD CONSTRAINT \"customers_application_id_applications_id_fk\" FOREIGN KEY (\"application_id\") REFERENCES \"crossbook\".\"applications\"(\"id\") ON DELETE cascade ON UPDATE no action;",
      "CREATE INDEX \"api_keys_by_application\" ON \"crossbook\".\"api_keys\" USING btree (\"application_id\");",
      "CREATE INDEX \"contact_cache_by_connection\" ON \"crossbook\".\"contact_cache\" USING btree (\"connection_id\");",
      "CREATE INDEX \"contact_cache_by_age\" ON \"crossbook\".\"contact_cache\" USING btree (\"fetched_at\");",
      "CREATE INDEX \"credentials_by_key\" ON \"crossbook\".\"credentials\" USING btree (\"key_id\");"
    ]
  },
  {
    "name": "0001_origins",
    "statements": [
      "ALTER TABLE \"crossbook\".\"applications\" ADD COLUMN \"origins\" text[] DEFAULT '{}' NOT NULL;"
    ]
  },
  {
    "name": "0002_refresh_lease",
    "statements": [
      "ALTER TABLE \"crossbook\".\"credentials\" ADD COLUMN \"refresh_lease\" uuid;",
      "ALTER TABLE \"crossbook\".\"credentials\" ADD COLUMN \"refreshing_generation\" integer;",
      "ALTER TABLE \"crossbook\".\"credentials\" ADD COLUMN \"refreshing_until\" timestamp with time zone;"
    ]
  },
  {
    "name": "0003_key_names",
    "statements": [
      "LOCK TABLE \"crossbook\".\"api_keys\" IN SHARE ROW EXCLUSIVE MODE;",
      "UPDATE \"crossbook\".\"api_keys\" AS \"kept\" SET \"name\" = \"kept\".\"name\" || ' ' || \"kept\".\"public_id\"\nFROM \"crossbook\".\"api_keys\" AS \"older\"\nWHERE \"kept\".\"revoked_at\" IS NULL AND \"older\".\"revoked_at\" IS NULL\n  AND \"older\".\"application_id\" = \"kept\".\"application_id\" AND \"older\".\"name\" = \"kept\".\"name\"\n  AND (\"older\".\"created_at\", \"older\".\"public_id\") < (\"kept\".\"created_at\", \"kept\".\"public_id\");",
      "CREATE UNIQUE INDEX \"api_keys_active_name\" ON \"crossbook\".\"api_keys\" USING btree (\"application_id\",\"name\") WHERE \"crossbook\".\"api_keys\".\"revoked_at\" is null;"
    ]
  },
  {
    "name": "0004_connect",
    "statements": [
      "CREATE TABLE \"crossbook\".\"connect_flows\" (\n\t\"state_hash\" text PRIMARY KEY NOT NULL,\n\t\"link_id\" uuid NOT NULL,\n\t\"provider_name\" text NOT NULL,\n\t\"cookie_hash\" text NOT NULL,\n\t\"login_origin\" text NOT NULL,\n\t\"oauth_client_id\" text NOT NULL,\n\t\"sealed_verifier\" text NOT NULL,\n\t\"key_id\" text NOT NULL,\n\t\"created_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\t\"used_at\" timestamp with time zone\n);",
      "CREATE TABLE \"crossbook\".\"connect_links\" (\n\t\"id\" uuid PRIMARY KEY NOT NULL,\n\t\"application_id\" uuid NOT NULL,\n\t\"customer_id\" text NOT NULL,\n\t\"providers\" text[] NOT NULL,\n\t\"return_url\" text NOT NULL,\n\t\"mode\" text NOT NULL,\n\t\"confirm\" boolean NOT NULL,\n\t\"login_url\" text,\n\t\"optional_scopes\" text[] DEFAULT '{}' NOT NULL,\n\t\"allow_account_change\" boolean NOT NULL,\n\t\"status\" text NOT NULL,\n\t\"failure\" text,\n\t\"provider_name\" text,\n\t\"connection_id\" uuid,\n\t\"sealed_grant\" text,\n\t\"key_id\" text,\n\t\"code_hash\" text,\n\t\"code_expires_at\" timestamp with time zone,\n\t\"created_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\t\"expires_at\" timestamp with time zone NOT NULL,\n\t\"updated_at\" timestamp with time zone DEFAULT now() NOT NULL\n);",
      "CREATE TABLE \"crossbook\".\"events\" (\n\t\"id\" uuid PRIMARY KEY NOT NULL,\n\t\"application_id\" uuid NOT NULL,\n\t\"customer_id\" text NOT NULL,\n\t\"connection_id\" uuid,\n\t\"type\" text NOT NULL,\n\t\"sequence\" integer,\n\t\"data\" jsonb NOT NULL,\n\t\"created_at\" timestamp with time zone DEFAULT now() NOT NULL\n);",
      "CREATE TABLE \"crossbook\".\"oauth_clients\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"provider_name\" text NOT NULL,\n\t\"client_id\" text NOT NULL,\n\t\"sealed_secret\" text NOT NULL,\n\t\"key_id\" text NOT NULL,\n\t\"created_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\t\"updated_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\tCONSTRAINT \"oauth_clients_application_id_provider_name_pk\" PRIMARY KEY(\"application_id\",\"provider_name\")\n);",
      "CREATE TABLE \"crossbook\".\"webhook_deliveries\" (\n\t\"event_id\" uuid NOT NULL,\n\t\"endpoint_id\" uuid NOT NULL,\n\t\"attempts\" integer DEFAULT 0 NOT NULL,\n\t\"next_attempt_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\t\"created_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\tCONSTRAINT \"webhook_deliveries_event_id_endpoint_id_pk\" PRIMARY KEY(\"event_id\",\"endpoint_id\")\n);",
      "CREATE TABLE \"crossbook\".\"webhook_endpoints\" (\n\t\"id\" uuid PRIMARY KEY NOT NULL,\n\t\"application_id\" uuid NOT NULL,\n\t\"url\" text NOT NULL,\n\t\"event_types\" text[] NOT NULL,\n\t\"enabled\" boolean NOT NULL,\n\t\"sealed_secret\" text NOT NULL,\n\t\"sealed_previous_secret\" text,\n\t\"previous_secret_until\" timestamp with time zone,\n\t\"key_id\" text NOT NULL,\n\t\"last_failure\" text,\n\t\"last_failure_at\" timestamp with time zone,\n\t\"created_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\t\"updated_at\" timestamp with time zone DEFAULT now() NOT NULL\n);",
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"status_reason\" text;",
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"status_changed_at\" timestamp with time zone DEFAULT now() NOT NULL;",
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"account_id\" text;",
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"account_name\" text;",
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"account_url\" text;",
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"account_user_id\" text;",
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"granted_scopes\" text[] DEFAULT '{}' NOT NULL;",
      "ALTER TABLE \"crossbook\".\"credentials\" ADD COLUMN \"oauth_client_id\" text;",
      "ALTER TABLE \"crossbook\".\"connect_flows\" ADD CONSTRAINT \"connect_flows_link_id_connect_links_id_fk\" FOREIGN KEY (\"link_id\") REFERENCES \"crossbook\".\"connect_links\"(\"id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"connect_links\" ADD CONSTRAINT \"connect_links_customer\" FOREIGN KEY (\"application_id\",\"customer_id\") REFERENCES \"crossbook\".\"customers\"(\"application_id\",\"customer_id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"events\" ADD CONSTRAINT \"events_application_id_applications_id_fk\" FOREIGN KEY (\"application_id\") REFERENCES \"crossbook\".\"applications\"(\"id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"oauth_clients\" ADD CONSTRAINT \"oauth_clients_application_id_applications_id_fk\" FOREIGN KEY (\"application_id\") REFERENCES \"crossbook\".\"applications\"(\"id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"webhook_deliveries\" ADD CONSTRAINT \"webhook_deliveries_event_id_events_id_fk\" FOREIGN KEY (\"event_id\") REFERENCES \"crossbook\".\"events\"(\"id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"webhook_deliveries\" ADD CONSTRAINT \"webhook_deliveries_endpoint_id_webhook_endpoints_id_fk\" FOREIGN KEY (\"endpoint_id\") REFERENCES \"crossbook\".\"webhook_endpoints\"(\"id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"webhook_endpoints\" ADD CONSTRAINT \"webhook_endpoints_application_id_applications_id_fk\" FOREIGN KEY (\"application_id\") REFERENCES \"crossbook\".\"applications\"(\"id\") ON DELETE cascade ON UPDATE no action;",
      "CREATE INDEX \"connect_flows_by_link\" ON \"crossbook\".\"connect_flows\" USING btree (\"link_id\");",
      "CREATE INDEX \"connect_flows_by_cookie\" ON \"crossbook\".\"connect_flows\" USING btree (\"cookie_hash\");",
      "CREATE INDEX \"connect_links_by_customer\" ON \"crossbook\".\"connect_links\" USING btree (\"application_id\",\"customer_id\");",
      "CREATE INDEX \"connect_links_by_key\" ON \"crossbook\".\"connect_links\" USING btree (\"key_id\");",
      "CREATE INDEX \"connect_links_by_end\" ON \"crossbook\".\"connect_links\" USING btree (\"expires_at\");",
      "CREATE INDEX \"events_by_time\" ON \"crossbook\".\"events\" USING btree (\"application_id\",\"created_at\",\"id\");",
      "CREATE UNIQUE INDEX \"events_sequence\" ON \"crossbook\".\"events\" USING btree (\"connection_id\",\"sequence\");",
      "CREATE INDEX \"oauth_clients_by_key\" ON \"crossbook\".\"oauth_clients\" USING btree (\"key_id\");",
      "CREATE INDEX \"webhook_deliveries_due\" ON \"crossbook\".\"webhook_deliveries\" USING btree (\"next_attempt_at\");",
      "CREATE INDEX \"webhook_endpoints_by_application\" ON \"crossbook\".\"webhook_endpoints\" USING btree (\"application_id\");",
      "CREATE INDEX \"webhook_endpoints_by_key\" ON \"crossbook\".\"webhook_endpoints\" USING btree (\"key_id\");"
    ]
  },
  {
    "name": "0005_events",
    "statements": [
      "ALTER TABLE \"crossbook\".\"webhook_deliveries\" DROP CONSTRAINT \"webhook_deliveries_endpoint_id_webhook_endpoints_id_fk\";",
      "DROP INDEX \"crossbook\".\"events_sequence\";",
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"event_sequence\" integer DEFAULT 0 NOT NULL;",
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"last_event_id\" uuid;",
      "ALTER TABLE \"crossbook\".\"webhook_endpoints\" ADD COLUMN \"failing_since\" timestamp with time zone;",
      "ALTER TABLE \"crossbook\".\"webhook_endpoints\" ADD COLUMN \"failures\" integer DEFAULT 0 NOT NULL;",
      "ALTER TABLE \"crossbook\".\"webhook_endpoints\" ADD COLUMN \"paused_until\" timestamp with time zone;",
      "ALTER TABLE \"crossbook\".\"webhook_endpoints\" ADD COLUMN \"lease\" uuid;",
      "ALTER TABLE \"crossbook\".\"webhook_endpoints\" ADD COLUMN \"leased_until\" timestamp with time zone;",
      "CREATE INDEX \"webhook_deliveries_of_endpoint\" ON \"crossbook\".\"webhook_deliveries\" USING btree (\"endpoint_id\",\"next_attempt_at\");",
      "CREATE UNIQUE INDEX \"events_sequence\" ON \"crossbook\".\"events\" USING btree (\"connection_id\",\"sequence\") WHERE \"crossbook\".\"events\".\"connection_id\" is not null;"
    ]
  },
  {
    "name": "0006_webhook_indexes",
    "statements": [
      "CREATE INDEX CONCURRENTLY \"events_by_customer\" ON \"crossbook\".\"events\" USING btree (\"application_id\",\"customer_id\",\"created_at\");",
      "CREATE INDEX CONCURRENTLY \"events_by_age\" ON \"crossbook\".\"events\" USING brin (\"created_at\");"
    ]
  },
  {
    "name": "0007_lifecycle",
    "statements": [
      "CREATE TABLE \"crossbook\".\"job_leases\" (\n\t\"job\" text PRIMARY KEY NOT NULL,\n\t\"holder\" uuid NOT NULL,\n\t\"until\" timestamp with time zone NOT NULL\n);",
      "ALTER TABLE \"crossbook\".\"credentials\" ADD COLUMN \"idle_since\" timestamp with time zone;"
    ]
  },
  {
    "name": "0007_lifecycle_indexes",
    "statements": [
      "CREATE INDEX CONCURRENTLY \"connections_by_provider\" ON \"crossbook\".\"connections\" USING btree (\"application_id\",\"provider_name\",\"customer_id\");",
      "CREATE INDEX CONCURRENTLY \"connections_by_status\" ON \"crossbook\".\"connections\" USING btree (\"application_id\",\"status\",\"customer_id\");",
      "CREATE INDEX CONCURRENTLY \"connections_by_account\" ON \"crossbook\".\"connections\" USING btree (\"provider_name\",\"account_id\");",
      "CREATE INDEX CONCURRENTLY \"credentials_by_idleness\" ON \"crossbook\".\"credentials\" USING btree (greatest(\"updated_at\", \"idle_since\"));",
      "CREATE INDEX CONCURRENTLY \"customers_by_email\" ON \"crossbook\".\"customers\" USING btree (\"application_id\",lower(\"email\"),\"customer_id\");"
    ]
  },
  {
    "name": "0008_contact_reads",
    "statements": [
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"credentials_version\" integer DEFAULT 0 NOT NULL;",
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"configuration_bytes\" integer;",
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"refused_at\" timestamp with time zone;"
    ]
  },
  {
    "name": "0009_credentials_fingerprint",
    "statements": [
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"credentials_fingerprint\" text;"
    ]
  },
  {
    "name": "0010_expired_tokens",
    "statements": [
      "ALTER TABLE \"crossbook\".\"credentials\" ADD COLUMN \"expires_at\" timestamp with time zone;"
    ]
  },
  {
    "name": "0010_expired_tokens_indexes",
    "statements": [
      "CREATE INDEX CONCURRENTLY \"credentials_by_expiry\" ON \"crossbook\".\"credentials\" USING btree (\"expires_at\") WHERE \"crossbook\".\"credentials\".\"expires_at\" is not null;"
    ]
  },
  {
    "name": "0011_own_fields",
    "statements": [
      "CREATE TABLE \"crossbook\".\"contact_fields\" (\n\t\"application_id\" uuid PRIMARY KEY NOT NULL,\n\t\"version\" integer NOT NULL,\n\t\"fields\" jsonb NOT NULL,\n\t\"updated_at\" timestamp with time zone DEFAULT now() NOT NULL\n);",
      "CREATE TABLE \"crossbook\".\"mapping_problems\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"connection_id\" uuid NOT NULL,\n\t\"field\" text NOT NULL,\n\t\"source\" text NOT NULL,\n\t\"problem\" text NOT NULL,\n\t\"since\" timestamp with time zone NOT NULL,\n\t\"seen_at\" timestamp with time zone NOT NULL,\n\t\"reported_at\" timestamp with time zone NOT NULL,\n\tCONSTRAINT \"mapping_problems_connection_id_field_source_problem_pk\" PRIMARY KEY(\"connection_id\",\"field\",\"source\",\"problem\")\n);",
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"contact_field_mappings\" jsonb;",
      "ALTER TABLE \"crossbook\".\"contact_fields\" ADD CONSTRAINT \"contact_fields_application_id_applications_id_fk\" FOREIGN KEY (\"application_id\") REFERENCES \"crossbook\".\"applications\"(\"id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"mapping_problems\" ADD CONSTRAINT \"mapping_problems_connection\" FOREIGN KEY (\"connection_id\",\"application_id\") REFERENCES \"crossbook\".\"connections\"(\"id\",\"application_id\") ON DELETE cascade ON UPDATE no action;"
    ]
  },
  {
    "name": "0012_usage",
    "statements": [
      "CREATE TABLE \"crossbook\".\"usage\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"customer_id\" text NOT NULL,\n\t\"hour\" timestamp with time zone NOT NULL,\n\t\"requests\" bigint NOT NULL,\n\t\"errors\" bigint NOT NULL,\n\t\"provider_calls\" bigint NOT NULL,\n\t\"cost\" bigint NOT NULL,\n\tCONSTRAINT \"usage_application_id_customer_id_hour_pk\" PRIMARY KEY(\"application_id\",\"customer_id\",\"hour\")\n);",
      "ALTER TABLE \"crossbook\".\"applications\" ADD COLUMN \"deleted_at\" timestamp with time zone;",
      "ALTER TABLE \"crossbook\".\"usage\" ADD CONSTRAINT \"usage_application_id_applications_id_fk\" FOREIGN KEY (\"application_id\") REFERENCES \"crossbook\".\"applications\"(\"id\") ON DELETE cascade ON UPDATE no action;",
      "CREATE INDEX \"usage_by_hour\" ON \"crossbook\".\"usage\" USING btree (\"hour\",\"application_id\");"
    ]
  },
  {
    "name": "0013_syncs",
    "statements": [
      "CREATE TABLE \"crossbook\".\"row_removals\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"id\" uuid NOT NULL,\n\t\"customer_id\" text NOT NULL,\n\t\"tables\" jsonb NOT NULL,\n\t\"created_at\" timestamp with time zone NOT NULL,\n\t\"attempts\" integer DEFAULT 0 NOT NULL,\n\t\"next_attempt_at\" timestamp with time zone NOT NULL,\n\t\"deleted_rows\" integer DEFAULT 0 NOT NULL,\n\t\"lease\" uuid,\n\t\"leased_until\" timestamp with time zone,\n\tCONSTRAINT \"row_removals_application_id_id_pk\" PRIMARY KEY(\"application_id\",\"id\")\n);",
      "CREATE TABLE \"crossbook\".\"sync_configurations\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"provider_name\" text NOT NULL,\n\t\"configuration\" jsonb NOT NULL,\n\t\"version\" integer NOT NULL,\n\t\"updated_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\tCONSTRAINT \"sync_configurations_application_id_provider_name_pk\" PRIMARY KEY(\"application_id\",\"provider_name\")\n);",
      "CREATE TABLE \"crossbook\".\"sync_destinations\" (\n\t\"application_id\" uuid PRIMARY KEY NOT NULL,\n\t\"host\" text NOT NULL,\n\t\"port\" integer NOT NULL,\n\t\"database_name\" text NOT NULL,\n\t\"user_name\" text NOT NULL,\n\t\"schema_name\" text NOT NULL,\n\t\"ca_certificate\" text,\n\t\"sealed_password\" text NOT NULL,\n\t\"key_id\" text NOT NULL,\n\t\"version\" integer NOT NULL,\n\t\"updated_at\" timestamp with time zone DEFAULT now() NOT NULL\n);",
      "CREATE TABLE \"crossbook\".\"sync_plans\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"connection_id\" uuid NOT NULL,\n\t\"planned_for\" text NOT NULL,\n\t\"due_at\" timestamp with time zone,\n\t\"lease\" uuid,\n\t\"leased_until\" timestamp with time zone,\n\tCONSTRAINT \"sync_plans_application_id_connection_id_pk\" PRIMARY KEY(\"application_id\",\"connection_id\")\n);",
      "CREATE TABLE \"crossbook\".\"sync_runs\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"connection_id\" uuid NOT NULL,\n\t\"kind\" text NOT NULL,\n\t\"object\" text NOT NULL,\n\t\"started_at\" timestamp with time zone NOT NULL,\n\t\"finished_at\" timestamp with time zone NOT NULL,\n\t\"is_full\" boolean NOT NULL,\n\t\"records\" integer NOT NULL,\n\t\"deleted\" integer NOT NULL,\n\t\"error\" jsonb,\n\tCONSTRAINT \"sync_runs_pk\" PRIMARY KEY(\"application_id\",\"connection_id\",\"kind\",\"object\",\"finished_at\")\n);",
      "CREATE TABLE \"crossbook\".\"sync_tables\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"destination\" text NOT NULL,\n\t\"schema_name\" text NOT NULL,\n\t\"table_name\" text NOT NULL,\n\tCONSTRAINT \"sync_tables_pk\" PRIMARY KEY(\"application_id\",\"destination\",\"schema_name\",\"table_name\")\n);",
      "CREATE TABLE \"crossbook\".\"syncs\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"connection_id\" uuid NOT NULL,\n\t\"kind\" text NOT NULL,\n\t\"object\" text NOT NULL,\n\t\"place\" integer NOT NULL,\n\t\"schema_name\" text,\n\t\"table_name\" text NOT NULL,\n\t\"interval_seconds\" integer NOT NULL,\n\t\"is_paused\" boolean DEFAULT false NOT NULL,\n\t\"pause_reason\" text,\n\t\"problem\" jsonb,\n\t\"next_run_at\" timestamp with time zone NOT NULL,\n\t\"is_requested\" boolean DEFAULT false NOT NULL,\n\t\"wants_full\" boolean DEFAULT false NOT NULL,\n\t\"position\" jsonb,\n\t\"started_at\" timestamp with time zone,\n\t\"records\" integer DEFAULT 0 NOT NULL,\n\t\"deleted\" integer DEFAULT 0 NOT NULL,\n\t\"synced_until\" timestamp with time zone,\n\t\"full_at\" timestamp with time zone,\n\t\"columns_key\" text,\n\t\"failures\" integer DEFAULT 0 NOT NULL,\n\tCONSTRAINT \"syncs_pk\" PRIMARY KEY(\"application_id\",\"connection_id\",\"kind\",\"object\")\n);",
      "ALTER TABLE \"crossbook\".\"row_removals\" ADD CONSTRAINT \"row_removals_application_id_applications_id_fk\" FOREIGN KEY (\"application_id\") REFERENCES \"crossbook\".\"applications\"(\"id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"sync_configurations\" ADD CONSTRAINT \"sync_configurations_application_id_applications_id_fk\" FOREIGN KEY (\"application_id\") REFERENCES \"crossbook\".\"applications\"(\"id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"sync_destinations\" ADD CONSTRAINT \"sync_destinations_application_id_applications_id_fk\" FOREIGN KEY (\"application_id\") REFERENCES \"crossbook\".\"applications\"(\"id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"sync_plans\" ADD CONSTRAINT \"sync_plans_connection\" FOREIGN KEY (\"connection_id\",\"application_id\") REFERENCES \"crossbook\".\"connections\"(\"id\",\"application_id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"sync_runs\" ADD CONSTRAINT \"sync_runs_sync\" FOREIGN KEY (\"application_id\",\"connection_id\",\"kind\",\"object\") REFERENCES \"crossbook\".\"syncs\"(\"application_id\",\"connection_id\",\"kind\",\"object\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"sync_tables\" ADD CONSTRAINT \"sync_tables_application_id_applications_id_fk\" FOREIGN KEY (\"application_id\") REFERENCES \"crossbook\".\"applications\"(\"id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"syncs\" ADD CONSTRAINT \"syncs_plan\" FOREIGN KEY (\"application_id\",\"connection_id\") REFERENCES \"crossbook\".\"sync_plans\"(\"application_id\",\"connection_id\") ON DELETE cascade ON UPDATE no action;",
      "CREATE INDEX \"row_removals_by_attempt\" ON \"crossbook\".\"row_removals\" USING btree (\"next_attempt_at\");",
      "CREATE INDEX \"row_removals_by_customer\" ON \"crossbook\".\"row_removals\" USING btree (\"application_id\",\"customer_id\");",
      "CREATE INDEX \"sync_destinations_by_key\" ON \"crossbook\".\"sync_destinations\" USING btree (\"key_id\");",
      "CREATE INDEX \"sync_plans_by_due\" ON \"crossbook\".\"sync_plans\" USING btree (\"application_id\",\"due_at\");"
    ]
  },
  {
    "name": "0014_typed_schema",
    "statements": [
      "ALTER TABLE \"crossbook\".\"contact_fields\" ADD COLUMN \"typed_schema\" boolean DEFAULT false NOT NULL;"
    ]
  },
  {
    "name": "0015_pages",
    "statements": [
      "CREATE TABLE \"crossbook\".\"branding\" (\n\t\"application_id\" uuid PRIMARY KEY NOT NULL,\n\t\"display_name\" text,\n\t\"accent_color\" text,\n\t\"logo\" text,\n\t\"updated_at\" timestamp with time zone DEFAULT now() NOT NULL\n);",
      "ALTER TABLE \"crossbook\".\"connect_links\" ADD COLUMN \"purpose\" text DEFAULT 'CONNECT' NOT NULL;",
      "ALTER TABLE \"crossbook\".\"connect_links\" ADD COLUMN \"map_fields\" boolean DEFAULT false NOT NULL;",
      "ALTER TABLE \"crossbook\".\"connect_links\" ADD COLUMN \"session_hash\" text;",
      "ALTER TABLE \"crossbook\".\"connect_links\" ADD COLUMN \"session_expires_at\" timestamp with time zone;",
      "ALTER TABLE \"crossbook\".\"connect_links\" ADD COLUMN \"field_choices\" jsonb;",
      "ALTER TABLE \"crossbook\".\"branding\" ADD CONSTRAINT \"branding_application_id_applications_id_fk\" FOREIGN KEY (\"application_id\") REFERENCES \"crossbook\".\"applications\"(\"id\") ON DELETE cascade ON UPDATE no action;"
    ]
  },
  {
    "name": "0016_customer_sync_tables",
    "statements": [
      "CREATE TABLE \"crossbook\".\"customer_sync_tables\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"customer_id\" text NOT NULL,\n\t\"destination\" text NOT NULL,\n\t\"schema_name\" text NOT NULL,\n\t\"table_name\" text NOT NULL,\n\tCONSTRAINT \"customer_sync_tables_pk\" PRIMARY KEY(\"application_id\",\"customer_id\",\"destination\",\"schema_name\",\"table_name\")\n);",
      "ALTER TABLE \"crossbook\".\"customer_sync_tables\" ADD CONSTRAINT \"customer_sync_tables_application_id_applications_id_fk\" FOREIGN KEY (\"application_id\") REFERENCES \"crossbook\".\"applications\"(\"id\") ON DELETE cascade ON UPDATE no action;",
      "DROP TABLE \"crossbook\".\"sync_tables\" CASCADE;"
    ]
  },
  {
    "name": "0017_application_keys_columns",
    "statements": [
      "ALTER TABLE \"crossbook\".\"webhook_deliveries\" ADD COLUMN \"application_id\" uuid;",
      "ALTER TABLE \"crossbook\".\"webhook_deliveries\" ADD COLUMN \"version\" integer DEFAULT 0 NOT NULL;",
      "ALTER TABLE \"crossbook\".\"connect_flows\" ADD COLUMN \"application_id\" uuid;",
      "CREATE FUNCTION \"crossbook\".\"fill_application_id\"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$\nBEGIN\n  IF TG_TABLE_NAME = 'webhook_deliveries' THEN\n    SELECT application_id INTO NEW.application_id FROM crossbook.events WHERE id = NEW.event_id;\n  ELSE\n    SELECT application_id INTO NEW.application_id FROM crossbook.connect_links WHERE id = NEW.link_id;\n  END IF;\n  RETURN NEW;\nEND\n$$;",
      "CREATE TRIGGER \"fill_application_id\" BEFORE INSERT ON \"crossbook\".\"webhook_deliveries\"\nFOR EACH ROW WHEN (NEW.application_id IS NULL) EXECUTE FUNCTION \"crossbook\".\"fill_application_id\"();",
      "CREATE TRIGGER \"fill_application_id\" BEFORE INSERT ON \"crossbook\".\"connect_flows\"\nFOR EACH ROW WHEN (NEW.application_id IS NULL) EXECUTE FUNCTION \"crossbook\".\"fill_application_id\"();"
    ]
  },
  {
    "name": "0017_application_keys_rows",
    "statements": [
      "-- in batches\nWITH batch AS MATERIALIZED (\n  SELECT event_id, endpoint_id FROM crossbook.webhook_deliveries WHERE application_id IS NULL LIMIT 2000\n), filled AS (\n  UPDATE crossbook.webhook_deliveries AS stored SET application_id = event.application_id\n  FROM batch JOIN crossbook.events AS event ON event.id = batch.event_id\n  WHERE stored.event_id = batch.event_id AND stored.endpoint_id = batch.endpoint_id\n)\nSELECT 1 FROM batch LIMIT 1;",
      "-- in batches\nWITH batch AS MATERIALIZED (\n  SELECT state_hash, link_id FROM crossbook.connect_flows WHERE application_id IS NULL LIMIT 2000\n), filled AS (\n  UPDATE crossbook.connect_flows AS stored SET application_id = link.application_id\n  FROM batch JOIN crossbook.connect_links AS link ON link.id = batch.link_id\n  WHERE stored.state_hash = batch.state_hash\n)\nSELECT 1 FROM batch LIMIT 1;"
    ]
  },
  {
    "name": "0017_application_keys_checks",
    "statements": [
      "ALTER TABLE \"crossbook\".\"webhook_deliveries\" ADD CONSTRAINT \"webhook_deliveries_application_id_given\" CHECK (application_id IS NOT NULL) NOT VALID;",
      "ALTER TABLE \"crossbook\".\"connect_flows\" ADD CONSTRAINT \"connect_flows_application_id_given\" CHECK (application_id IS NOT NULL) NOT VALID;"
    ]
  },
  {
    "name": "0017_application_keys_checked",
    "statements": [
      "ALTER TABLE \"crossbook\".\"webhook_deliveries\" VALIDATE CONSTRAINT \"webhook_deliveries_application_id_given\";",
      "ALTER TABLE \"crossbook\".\"connect_flows\" VALIDATE CONSTRAINT \"connect_flows_application_id_given\";"
    ]
  },
  {
    "name": "0017_application_keys_indexes",
    "statements": [
      "CREATE UNIQUE INDEX CONCURRENTLY \"connections_pk\" ON \"crossbook\".\"connections\" USING btree (\"application_id\",\"id\");",
      "CREATE UNIQUE INDEX CONCURRENTLY \"credentials_pk\" ON \"crossbook\".\"credentials\" USING btree (\"application_id\",\"connection_id\");",
      "CREATE UNIQUE INDEX CONCURRENTLY \"credentials_of_connection\" ON \"crossbook\".\"credentials\" USING btree (\"connection_id\");",
      "CREATE UNIQUE INDEX CONCURRENTLY \"mapping_problems_pk\" ON \"crossbook\".\"mapping_problems\" USING btree (\"application_id\",\"connection_id\",\"field\",\"source\",\"problem\");",
      "CREATE UNIQUE INDEX CONCURRENTLY \"mapping_problems_of_connection\" ON \"crossbook\".\"mapping_problems\" USING btree (\"connection_id\",\"field\",\"source\",\"problem\");",
      "CREATE UNIQUE INDEX CONCURRENTLY \"webhook_endpoints_pk\" ON \"crossbook\".\"webhook_endpoints\" USING btree (\"application_id\",\"id\");",
      "CREATE INDEX CONCURRENTLY \"webhook_endpoints_by_id\" ON \"crossbook\".\"webhook_endpoints\" USING btree (\"id\");",
      "CREATE UNIQUE INDEX CONCURRENTLY \"connect_links_pk\" ON \"crossbook\".\"connect_links\" USING btree (\"application_id\",\"id\");",
      "CREATE INDEX CONCURRENTLY \"connect_links_by_id\" ON \"crossbook\".\"connect_links\" USING btree (\"id\");",
      "CREATE UNIQUE INDEX CONCURRENTLY \"connect_flows_pk\" ON \"crossbook\".\"connect_flows\" USING btree (\"application_id\",\"state_hash\");",
      "CREATE INDEX CONCURRENTLY \"connect_flows_by_state\" ON \"crossbook\".\"connect_flows\" USING btree (\"state_hash\");",
      "CREATE UNIQUE INDEX CONCURRENTLY \"events_pk\" ON \"crossbook\".\"events\" USING btree (\"application_id\",\"id\");",
      "CREATE INDEX CONCURRENTLY \"events_by_id\" ON \"crossbook\".\"events\" USING btree (\"id\");",
      "CREATE UNIQUE INDEX CONCURRENTLY \"events_of_connection\" ON \"crossbook\".\"events\" USING btree (\"application_id\",\"connection_id\",\"sequence\") WHERE \"crossbook\".\"events\".\"connection_id\" is not null;",
      "CREATE UNIQUE INDEX CONCURRENTLY \"webhook_deliveries_pk\" ON \"crossbook\".\"webhook_deliveries\" USING btree (\"application_id\",\"event_id\",\"endpoint_id\");",
      "CREATE UNIQUE INDEX CONCURRENTLY \"webhook_deliveries_of_event\" ON \"crossbook\".\"webhook_deliveries\" USING btree (\"event_id\",\"endpoint_id\");",
      "CREATE INDEX CONCURRENTLY \"row_removals_by_age\" ON \"crossbook\".\"row_removals\" USING btree (\"created_at\");",
      "CREATE INDEX CONCURRENTLY \"syncs_by_lag\" ON \"crossbook\".\"syncs\" USING btree (\"interval_seconds\",\"synced_until\") WHERE not \"crossbook\".\"syncs\".\"is_paused\" and \"crossbook\".\"syncs\".\"pause_reason\" is null and \"crossbook\".\"syncs\".\"problem\" is null;",
      "CREATE INDEX CONCURRENTLY \"syncs_failed\" ON \"crossbook\".\"syncs\" USING btree (\"application_id\") WHERE \"crossbook\".\"syncs\".\"failures\" > 0;"
    ]
  },
  {
    "name": "0017_application_keys_connections",
    "statements": [
      "ALTER TABLE \"crossbook\".\"connections\" DROP CONSTRAINT \"connections_pkey\";",
      "ALTER TABLE \"crossbook\".\"connections\" ADD CONSTRAINT \"connections_pk\" PRIMARY KEY USING INDEX \"connections_pk\";"
    ]
  },
  {
    "name": "0017_application_keys_credentials",
    "statements": [
      "ALTER TABLE \"crossbook\".\"credentials\" DROP CONSTRAINT \"credentials_pkey\";",
      "ALTER TABLE \"crossbook\".\"credentials\" ADD CONSTRAINT \"credentials_pk\" PRIMARY KEY USING INDEX \"credentials_pk\";"
    ]
  },
  {
    "name": "0017_application_keys_mapping_problems",
    "statements": [
      "ALTER TABLE \"crossbook\".\"mapping_problems\" DROP CONSTRAINT \"mapping_problems_connection_id_field_source_problem_pk\";",
      "ALTER TABLE \"crossbook\".\"mapping_problems\" ADD CONSTRAINT \"mapping_problems_pk\" PRIMARY KEY USING INDEX \"mapping_problems_pk\";"
    ]
  },
  {
    "name": "0017_application_keys_webhook_endpoints",
    "statements": [
      "ALTER TABLE \"crossbook\".\"webhook_endpoints\" DROP CONSTRAINT \"webhook_endpoints_pkey\";",
      "ALTER TABLE \"crossbook\".\"webhook_endpoints\" ADD CONSTRAINT \"webhook_endpoints_pk\" PRIMARY KEY USING INDEX \"webhook_endpoints_pk\";",
      "DROP INDEX \"crossbook\".\"webhook_endpoints_by_application\";"
    ]
  },
  {
    "name": "0017_application_keys_events",
    "statements": [
      "ALTER TABLE \"crossbook\".\"webhook_deliveries\" DROP CONSTRAINT \"webhook_deliveries_event_id_events_id_fk\";",
      "ALTER TABLE \"crossbook\".\"events\" DROP CONSTRAINT \"events_pkey\";",
      "ALTER TABLE \"crossbook\".\"events\" ADD CONSTRAINT \"events_pk\" PRIMARY KEY USING INDEX \"events_pk\";",
      "DROP INDEX \"crossbook\".\"events_sequence\";",
      "ALTER TABLE \"crossbook\".\"webhook_deliveries\" ALTER COLUMN \"application_id\" SET NOT NULL;",
      "ALTER TABLE \"crossbook\".\"webhook_deliveries\" DROP CONSTRAINT \"webhook_deliveries_application_id_given\";",
      "ALTER TABLE \"crossbook\".\"webhook_deliveries\" DROP CONSTRAINT \"webhook_deliveries_event_id_endpoint_id_pk\";",
      "ALTER TABLE \"crossbook\".\"webhook_deliveries\" ADD CONSTRAINT \"webhook_deliveries_pk\" PRIMARY KEY USING INDEX \"webhook_deliveries_pk\";",
      "ALTER TABLE \"crossbook\".\"webhook_deliveries\" ADD CONSTRAINT \"webhook_deliveries_event\" FOREIGN KEY (\"application_id\",\"event_id\") REFERENCES \"crossbook\".\"events\"(\"application_id\",\"id\") ON DELETE cascade ON UPDATE no action NOT VALID;"
    ]
  },
  {
    "name": "0017_application_keys_connect_links",
    "statements": [
      "ALTER TABLE \"crossbook\".\"connect_flows\" DROP CONSTRAINT \"connect_flows_link_id_connect_links_id_fk\";",
      "ALTER TABLE \"crossbook\".\"connect_links\" DROP CONSTRAINT \"connect_links_pkey\";",
      "ALTER TABLE \"crossbook\".\"connect_links\" ADD CONSTRAINT \"connect_links_pk\" PRIMARY KEY USING INDEX \"connect_links_pk\";",
      "ALTER TABLE \"crossbook\".\"connect_flows\" ALTER COLUMN \"application_id\" SET NOT NULL;",
      "ALTER TABLE \"crossbook\".\"connect_flows\" DROP CONSTRAINT \"connect_flows_application_id_given\";",
      "ALTER TABLE \"crossbook\".\"connect_flows\" DROP CONSTRAINT \"connect_flows_pkey\";",
      "ALTER TABLE \"crossbook\".\"connect_flows\" ADD CONSTRAINT \"connect_flows_pk\" PRIMARY KEY USING INDEX \"connect_flows_pk\";",
      "ALTER TABLE \"crossbook\".\"connect_flows\" ADD CONSTRAINT \"connect_flows_link\" FOREIGN KEY (\"application_id\",\"link_id\") REFERENCES \"crossbook\".\"connect_links\"(\"application_id\",\"id\") ON DELETE cascade ON UPDATE no action NOT VALID;"
    ]
  },
  {
    "name": "0017_application_keys_references",
    "statements": [
      "ALTER TABLE \"crossbook\".\"webhook_deliveries\" VALIDATE CONSTRAINT \"webhook_deliveries_event\";",
      "ALTER TABLE \"crossbook\".\"connect_flows\" VALIDATE CONSTRAINT \"connect_flows_link\";"
    ]
  },
  {
    "name": "0018_key_checks",
    "statements": [
      "ALTER TABLE \"crossbook\".\"api_keys\" ADD COLUMN \"sealed_check\" text;",
      "ALTER TABLE \"crossbook\".\"api_keys\" ADD COLUMN \"key_id\" text;"
    ]
  },
  {
    "name": "0018_key_checks_indexes",
    "statements": [
      "CREATE INDEX CONCURRENTLY \"api_keys_by_key\" ON \"crossbook\".\"api_keys\" USING btree (\"key_id\");"
    ]
  },
  {
    "name": "0019_incomplete_records",
    "statements": [
      "ALTER TABLE \"crossbook\".\"syncs\" ADD COLUMN \"incomplete\" jsonb;"
    ]
  },
  {
    "name": "0020_problem_contacts",
    "statements": [
      "ALTER TABLE \"crossbook\".\"mapping_problems\" ADD COLUMN \"remote_id\" text;"
    ]
  },
  {
    "name": "0021_operator_audit",
    "statements": [
      "CREATE TABLE \"crossbook\".\"operator_audit\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"id\" uuid NOT NULL,\n\t\"session_id\" uuid NOT NULL,\n\t\"action\" text NOT NULL,\n\t\"customer_id\" text,\n\t\"subject\" text,\n\t\"created_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\tCONSTRAINT \"operator_audit_application_id_id_pk\" PRIMARY KEY(\"application_id\",\"id\")\n);",
      "CREATE INDEX \"operator_audit_by_id\" ON \"crossbook\".\"operator_audit\" USING btree (\"id\");",
      "CREATE INDEX \"operator_audit_by_age\" ON \"crossbook\".\"operator_audit\" USING btree (\"created_at\");",
      "CREATE INDEX \"operator_audit_of_session\" ON \"crossbook\".\"operator_audit\" USING btree (\"session_id\",\"action\");"
    ]
  },
  {
    "name": "0022_granted_access",
    "statements": [
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"readable_records\" text[] DEFAULT '{\"CONTACT\"}' NOT NULL;",
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"writable_records\" text[] DEFAULT '{}' NOT NULL;",
      "ALTER TABLE \"crossbook\".\"connect_links\" ADD COLUMN \"records\" text[] DEFAULT '{\"CONTACT\"}' NOT NULL;",
      "ALTER TABLE \"crossbook\".\"connect_links\" ADD COLUMN \"access\" text DEFAULT 'READ' NOT NULL;"
    ]
  },
  {
    "name": "0023_console_views",
    "statements": [
      "CREATE TABLE \"crossbook\".\"webhook_responses\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"event_id\" uuid NOT NULL,\n\t\"endpoint_id\" uuid NOT NULL,\n\t\"attempt\" integer NOT NULL,\n\t\"status\" integer,\n\t\"reason\" text,\n\t\"body\" text,\n\t\"ms\" integer NOT NULL,\n\t\"created_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\tCONSTRAINT \"webhook_responses_pk\" PRIMARY KEY(\"application_id\",\"event_id\",\"endpoint_id\",\"created_at\")\n);",
      "ALTER TABLE \"crossbook\".\"usage\" ADD COLUMN \"tallies\" jsonb;",
      "ALTER TABLE \"crossbook\".\"usage\" ADD COLUMN \"recent_errors\" jsonb;",
      "ALTER TABLE \"crossbook\".\"webhook_responses\" ADD CONSTRAINT \"webhook_responses_event\" FOREIGN KEY (\"application_id\",\"event_id\") REFERENCES \"crossbook\".\"events\"(\"application_id\",\"id\") ON DELETE cascade ON UPDATE no action;",
      "CREATE INDEX \"webhook_responses_of_endpoint\" ON \"crossbook\".\"webhook_responses\" USING btree (\"application_id\",\"endpoint_id\",\"created_at\",\"event_id\");",
      "CREATE INDEX \"webhook_responses_by_age\" ON \"crossbook\".\"webhook_responses\" USING btree (\"created_at\");"
    ]
  },
  {
    "name": "0023_console_views_indexes",
    "statements": [
      "CREATE INDEX CONCURRENTLY \"customers_by_id_prefix\" ON \"crossbook\".\"customers\" USING btree (\"application_id\",(lower(\"customer_id\") collate \"C\"),\"customer_id\");",
      "CREATE INDEX CONCURRENTLY \"customers_by_name\" ON \"crossbook\".\"customers\" USING btree (\"application_id\",(lower(\"name\") collate \"C\"),\"customer_id\");"
    ]
  },
  {
    "name": "0024_writes",
    "statements": [
      "CREATE TABLE \"crossbook\".\"writes\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"id\" uuid NOT NULL,\n\t\"customer_id\" text NOT NULL,\n\t\"connection_id\" uuid NOT NULL,\n\t\"provider_name\" text NOT NULL,\n\t\"operation\" text NOT NULL,\n\t\"credential_id\" text NOT NULL,\n\t\"key_hash\" text,\n\t\"input_hash\" text NOT NULL,\n\t\"sealed\" text NOT NULL,\n\t\"key_id\" text NOT NULL,\n\t\"created_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\t\"completed_at\" timestamp with time zone,\n\t\"is_open\" boolean NOT NULL,\n\t\"lease\" uuid,\n\t\"leased_until\" timestamp with time zone,\n\t\"look_again_at\" timestamp with time zone,\n\t\"attempts\" integer DEFAULT 0 NOT NULL,\n\tCONSTRAINT \"writes_pk\" PRIMARY KEY(\"application_id\",\"id\")\n);",
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"written_at\" timestamp with time zone;",
      "ALTER TABLE \"crossbook\".\"writes\" ADD CONSTRAINT \"writes_customer\" FOREIGN KEY (\"application_id\",\"customer_id\") REFERENCES \"crossbook\".\"customers\"(\"application_id\",\"customer_id\") ON DELETE cascade ON UPDATE no action;",
      "CREATE UNIQUE INDEX \"writes_by_idempotency_key\" ON \"crossbook\".\"writes\" USING btree (\"application_id\",\"key_hash\") WHERE \"crossbook\".\"writes\".\"key_hash\" is not null;",
      "CREATE INDEX \"writes_by_customer\" ON \"crossbook\".\"writes\" USING btree (\"application_id\",\"customer_id\",\"created_at\",\"id\");",
      "CREATE INDEX \"writes_by_look\" ON \"crossbook\".\"writes\" USING btree (\"look_again_at\") WHERE \"crossbook\".\"writes\".\"look_again_at\" is not null;",
      "CREATE INDEX \"writes_by_age\" ON \"crossbook\".\"writes\" USING btree (\"created_at\");",
      "CREATE INDEX \"writes_by_key\" ON \"crossbook\".\"writes\" USING btree (\"key_id\");"
    ]
  },
  {
    "name": "0025_edges",
    "statements": [
      "ALTER TABLE \"crossbook\".\"syncs\" ADD COLUMN \"edge_tables\" jsonb DEFAULT '[]'::jsonb NOT NULL;"
    ]
  },
  {
    "name": "0026_custom_fields_by_record",
    "statements": [
      "CREATE TABLE \"crossbook\".\"record_mapping_problems\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"connection_id\" uuid NOT NULL,\n\t\"record\" text NOT NULL,\n\t\"field\" text NOT NULL,\n\t\"source\" text NOT NULL,\n\t\"problem\" text NOT NULL,\n\t\"remote_id\" text,\n\t\"since\" timestamp with time zone NOT NULL,\n\t\"seen_at\" timestamp with time zone NOT NULL,\n\t\"reported_at\" timestamp with time zone NOT NULL,\n\tCONSTRAINT \"record_mapping_problems_pk\" PRIMARY KEY(\"application_id\",\"connection_id\",\"record\",\"field\",\"source\",\"problem\")\n);",
      "CREATE TABLE \"crossbook\".\"record_fields\" (\n\t\"application_id\" uuid NOT NULL,\n\t\"record\" text NOT NULL,\n\t\"version\" integer NOT NULL,\n\t\"fields\" jsonb NOT NULL,\n\t\"typed_schema\" boolean DEFAULT false NOT NULL,\n\t\"updated_at\" timestamp with time zone DEFAULT now() NOT NULL,\n\tCONSTRAINT \"record_fields_application_id_record_pk\" PRIMARY KEY(\"application_id\",\"record\")\n);",
      "ALTER TABLE \"crossbook\".\"connections\" ADD COLUMN \"record_field_mappings\" jsonb;",
      "ALTER TABLE \"crossbook\".\"record_mapping_problems\" ADD CONSTRAINT \"record_mapping_problems_connection\" FOREIGN KEY (\"connection_id\",\"application_id\") REFERENCES \"crossbook\".\"connections\"(\"id\",\"application_id\") ON DELETE cascade ON UPDATE no action;",
      "ALTER TABLE \"crossbook\".\"record_fields\" ADD CONSTRAINT \"record_fields_application_id_applications_id_fk\" FOREIGN KEY (\"application_id\") REFERENCES \"crossbook\".\"applications\"(\"id\") ON DELETE cascade ON UPDATE no action;"
    ]
  },
  {
    "name": "0026_custom_fields_by_record_problems",
    "statements": [
      "-- in batches\nWITH batch AS MATERIALIZED (\n  SELECT old.* FROM crossbook.mapping_problems AS old\n  JOIN crossbook.connections AS connection\n    ON connection.application_id = old.application_id AND connection.id = old.connection_id\n  WHERE NOT EXISTS (\n    SELECT FROM crossbook.record_mapping_problems AS copy\n    WHERE copy.application_id = old.application_id AND copy.connection_id = old.connection_id\n      AND copy.field = old.field AND copy.source = old.source AND copy.problem = old.problem\n  )\n  LIMIT 2000\n  FOR KEY SHARE OF connection\n), copied AS (\n  INSERT INTO crossbook.record_mapping_problems\n    (application_id, connection_id, record, field, source, problem, remote_id, since, seen_at, reported_at)\n  SELECT application_id, connection_id, CASE problem WHEN 'UNKNOWN_OBJECT' THEN '' ELSE 'CONTACT' END,\n    field, source, problem, remote_id, since, seen_at, reported_at\n  FROM batch ON CONFLICT DO NOTHING\n)\nSELECT 1 FROM batch LIMIT 1;"
    ]
  }
];
