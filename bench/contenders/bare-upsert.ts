import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { startWorker } from '../support/worker.ts';
import { readBody, send } from './serve.ts';
import { loop } from './upsert-loop.ts';

/** What an upsert of a customer costs at least: one statement with `pg`, by itself in a loop and behind node:http. */
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

const server = createServer(async (request, response) => {
  const { customerId } = JSON.parse(await readBody(request)) as { customerId: string };
  send(response, JSON.stringify(await upsert(customerId)));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  startWorker({ url }, { loop: loop(upsert), settings: readSettings });
});

async function upsert(customerId: string): Promise<unknown> {
  const values = [APPLICATION, customerId, `Customer ${customerId}`, `${customerId}@bench.example`];
  const { rows } = await pool.query({ name: 'upsert', text: UPSERT, values });
  return rows[0];
}

/** What the server promises of a commit decides what an upsert costs. */
async function readSettings(): Promise<Record<string, string>> {
  const names = ['server_version', 'fsync', 'synchronous_commit'];
  const { rows } = await pool.query('SELECT name, setting FROM pg_settings WHERE name = ANY($1)', [names]);
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting]));
}

const APPLICATION = 'c7055b00-de30-4000-8000-000000000001';
const UPSERT = `INSERT INTO bare_customers (application_id, customer_id, name, email) VALUES ($1, $2, $3, $4)
  ON CONFLICT (application_id, customer_id)
  DO UPDATE SET name = EXCLUDED.name, email = EXCLUDED.email,
    version = bare_customers.version + 1, updated_at = now()
  RETURNING *`;
