// Made from migrations/*.sql by `npm run db:generate`. Not to be edited.
export const MIGRATIONS: readonly { readonly name: string; readonly statements: readonly string[] }[] =
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
  }
];
