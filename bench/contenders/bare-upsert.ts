import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { startWorker } from '../support/worker.ts';
import { readBody, send } from './serve.ts';
import { loop } from './upsert-loop.ts';

/**
 * The minimum cost of an upsert: one statement with `pg`, for a customer alone and for a customer with a connection
 * and its token. The first also behind node:http.
 */
const pool = new pg.Pool({ connectionString: process.argv[2], max: Number(process.argv[3]) });

await pool.query(`CREATE TABLE bare_customers (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  application_id uuid NOT NULL,
  customer_id text NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (application_id, customer_id)
)`);
await pool.query(`CREATE TABLE bare_connections (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  application_id uuid NOT NULL,
  customer_id text NOT NULL,
  provider_name text NOT NULL,
  status text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (application_id, customer_id, provider_name),
  FOREIGN KEY (application_id, customer_id) REFERENCES bare_customers (application_id, customer_id)
)`);
await pool.query(`CREATE TABLE bare_credentials (
  connection_id uuid PRIMARY KEY REFERENCES bare_connections (id),
  token text NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
)`);

const server = createServer(async (request, response) => {
  const { customerId } = JSON.parse(await readBody(request)) as { customerId: string };
  send(response, JSON.stringify(await upsert(customerId)));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  startWorker(
    { url },
    { loop: loop(upsert), connectedLoop: loop(upsertConnected), settings: readSettings },
  );
});

async function upsert(customerId: string): Promise<unknown> {
  const { rows } = await pool.query({
    name: 'upsert',
    text: UPSERT,
    values: [...toValues(customerId)],
  });
  return rows[0];
}

async function upsertConnected(customerId: string): Promise<unknown> {
  const values = [...toValues(customerId), 'hubspot', TOKEN];
  const { rows } = await pool.query({ name: 'upsert_connected', text: UPSERT_CONNECTED, values });
  return rows[0];
}

function toValues(customerId: string): readonly string[] {
  return [APPLICATION, customerId, `Customer ${customerId}`, `${customerId}@bench.example`];
}

/** The durability of a commit determines the cost of an upsert. */
async function readSettings(): Promise<Record<string, string>> {
  const names = ['server_version', 'fsync', 'synchronous_commit'];
  const { rows } = await pool.query('SELECT name, setting FROM pg_settings WHERE name = ANY($1)', [
    names,
  ]);
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

const APPLICATION = 'c7055b00-de30-4000-8000-000000000001';
const UPSERT = `INSERT INTO bare_customers (application_id, customer_id, name, email) VALUES ($1, $2, $3, $4)
  ON CONFLICT (application_id, customer_id)
  DO UPDATE SET name = EXCLUDED.name, email = EXCLUDED.email,
    version = bare_customers.version + 1, updated_at = now()
  RETURNING *`;
/** The length of an encrypted token. */
const TOKEN = 'x'.repeat(120);
const UPSERT_CONNECTED = `WITH customer AS (${UPSERT}), connection AS (
  INSERT INTO bare_connections (application_id, customer_id, provider_name, status)
  SELECT application_id, customer_id, $5, 'connected' FROM customer
  ON CONFLICT (application_id, customer_id, provider_name)
  DO UPDATE SET status = EXCLUDED.status, updated_at = now()
  RETURNING *
), credential AS (
  INSERT INTO bare_credentials (connection_id, token) SELECT id, $6 FROM connection
  ON CONFLICT (connection_id) DO UPDATE SET token = EXCLUDED.token, updated_at = now()
)
SELECT customer.*, connection.id AS connection_id, connection.status FROM customer CROSS JOIN connection`;
