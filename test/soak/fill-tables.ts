import pg from 'pg';

/**
 * Fills a migrated database by generate_series: customers of ten applications, each with two connections and their
 * credentials, an event for each customer or more, and deliveries that wait for an endpoint.
 */
export async function fillTables(
  url: string,
  { customers, deliveries, events = customers, keyId = '', more = [] }: Filling,
): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query('set synchronous_commit = off');
    // Without the checks of foreign keys: the rows are right by construction.
    await client.query('set session_replication_role = replica');
    // An index is built faster than it is written row by row.
    await client.query(`select set_config('fill.key_id', $1, false)`, [keyId]);
    const { rows: indexes } = await client.query(INDEXES);
    for (const { name } of indexes) await client.query(`drop index ${name}`);
    for (const statement of [...FILL, ...more]) {
      const values = [customers, events, deliveries].slice(0, countParameters(statement));
      await client.query(statement, values);
    }
    await client.query("set maintenance_work_mem = '512MB'");
    for (const { definition } of indexes) await client.query(definition);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

/** Those that are not of a constraint. */
const INDEXES = `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
from pg_index join pg_class on pg_class.oid = indexrelid
where relnamespace = 'crossbook'::regnamespace
  and not exists (select from pg_constraint where conindid = indexrelid)`;

function countParameters(statement: string): number {
  return Math.max(0, ...[...statement.matchAll(/\$(\d)/g)].map(([, number]) => Number(number)));
}

const APPLICATION = `('00000000-0000-4000-8000-00000000000' || (n % 10))::uuid`;

/** $1: customers, $2: events, $3: deliveries. */
const FILL = [
  `insert into crossbook.applications (id, name) select ${APPLICATION}, 'application ' || n from generate_series(0, 9) as n`,
  `insert into crossbook.customers (application_id, customer_id, name, email, version)
  select ${APPLICATION}, 'customer-' || n, 'Customer ' || n, 'c' || n || '@example.com', 1
  from generate_series(1, $1::int) as n`,
  `insert into crossbook.connections
    (id, application_id, customer_id, provider_name, provider_id, status, last_event_id)
  select ('00000000-0000-4000-8000-' || lpad(to_hex(row_number() over ()), 12, '0'))::uuid,
    application_id, customer_id, provider, gen_random_uuid(), 'connected', gen_random_uuid()
  from crossbook.customers cross join (values ('hubspot'), ('salesforce')) as of (provider)`,
  `insert into crossbook.credentials (connection_id, application_id, sealed, key_id, generation)
  select id, application_id, repeat('x', 300), nullif(current_setting('fill.key_id'), ''), 1
  from crossbook.connections`,
  `insert into crossbook.events (id, application_id, customer_id, type, data, created_at)
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
      || right(replace(gen_random_uuid()::text, '-', ''), 19))::uuid,
    ${APPLICATION}, 'customer-' || (1 + n % $1::int), 'customer.updated', '{"version": 2}', at
  from (
    select n, now() - interval '32 days' + n * (interval '32 days' / $2::int) as at
    from generate_series(1, $2::int) as n
  ) as n`,
  `insert into crossbook.webhook_deliveries (event_id, endpoint_id, next_attempt_at)
  select id, '00000000-0000-4000-8000-000000000001'::uuid, now() + interval '1 day'
  from crossbook.events where $1::int + $2::int > 0 order by created_at desc limit $3::int`,
];

interface Filling {
  readonly customers: number;
  readonly deliveries: number;
  readonly events?: number;
  /** The key that the credentials name. By default none, so that no start looks for it. */
  readonly keyId?: string;
  /** Further statements. */
  readonly more?: readonly string[];
}
