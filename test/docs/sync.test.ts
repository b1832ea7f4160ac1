import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { toStatements } from '../../src/sync/table.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../support/databases.ts';
import { readSamples } from '../support/documents.ts';
import { type ListeningApp, listenApp } from '../support/listen-app.ts';
import type { Json } from '../support/open-app.ts';
import { toSyncHosts } from '../support/sync-hosts.ts';

/** The guide from its first line to the joined query, on a server and a PostgreSQL of its own. */
const GUIDE = 'docs/sync.md';
const SAMPLES = readSamples().filter(({ path }) => path === GUIDE);
const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const PRINTED_URL = 'postgresql://postgres:secret@localhost:5432/postgres';

let own: TestDatabase;
let target: TestDatabase;
let crossbook: ListeningApp;
let warehouse: pg.Client;
beforeAll(async () => {
  own = await createTestDatabase();
  target = await createEmptyDatabase();
  crossbook = await listenApp({
    database: { url: own.url },
    keys: KEYS,
    syncHosts: toSyncHosts(new URL(target.url)),
  });
  warehouse = new pg.Client({ connectionString: target.url });
  await warehouse.connect();
});
afterAll(async () => {
  await warehouse.end();
  await crossbook.close();
  await target.drop();
  await own.drop();
});

const executed = new Set<string>();

test('a first schema, destination and configuration copy the demo’s contacts', async () => {
  await sql('create schema crm');
  const { setSyncDestination } = await execute('setSyncDestination');
  expect(setSyncDestination.syncDestination.postgres).toMatchObject({ schema: 'crm' });
  const configured = await execute('hubspot: setSyncConfiguration');
  expect(configured.hubspot.syncConfiguration).toEqual({ contacts: true, intervalSeconds: 900 });
  await expect
    .poll(
      async () => {
        const { customer } = await execute('progress { records }');
        return customer.connections.flatMap(({ providerName, syncs }: Json) =>
          syncs.map(({ table, status, lastRun }: Json) => [
            providerName,
            table,
            status === 'IDLE' && lastRun !== null,
          ]),
        );
      },
      { interval: 500 },
    )
    .toEqual([
      ['HUBSPOT', 'contacts', true],
      ['SALESFORCE', 'contacts', true],
    ]);
});

test('the queries of the guide find them', async () => {
  const [first] = await sql('order by last_name');
  expect(first).toEqual({
    id: expect.any(String),
    first_name: expect.anything(),
    last_name: expect.anything(),
    email: expect.anything(),
  });
  await warehouse.query('create table accounts (email text, customer_id text)');
  await warehouse.query("insert into accounts values ('ada@example.com', 'demo')");
  expect(await sql('from accounts as account')).toEqual(
    expect.arrayContaining([expect.objectContaining({ email: 'ada@example.com' })]),
  );
  expect((await sql('order by synced_at')).length).toBeGreaterThan(25_000);
});

test('companies, deals and edges are copied, and its queries join them', async () => {
  const configuredAt = Date.now();
  const { setSyncConfiguration } = await execute('edges: true');
  expect(setSyncConfiguration.syncConfiguration).toEqual({
    contacts: true,
    companies: true,
    deals: true,
    edges: true,
  });
  const syncOf = async (table: string): Promise<Json> => {
    const { body } = await crossbook.rest('GET', '/customers/demo/connections/hubspot/syncs');
    return body.records.find((one: Json) => one.table === table) ?? {};
  };
  const isCopied = ({ runs = [] }: Json) =>
    runs.some(
      ({ is_full, error, started_at }: Json) =>
        is_full && error === undefined && Date.parse(started_at) >= configuredAt,
    );
  for (const [table, edgeTables] of [
    ['contacts', ['contact_companies']],
    ['companies', []],
    ['deals', ['deal_contacts', 'deal_companies']],
  ] as const) {
    // A copy of all records takes as long as it takes: each poll waits for another part of it.
    for (let sync = await syncOf(table); !isCopied(sync); sync = await syncOf(table)) {
      const before = JSON.stringify(sync);
      await expect.poll(async () => JSON.stringify(await syncOf(table))).not.toBe(before);
    }
    expect((await syncOf(table)).edge_tables ?? []).toEqual(edgeTables);
  }
  expect(await sql('company.name as company')).toHaveLength(10);
  const open = await sql('as expected');
  expect(open.length).toBeGreaterThan(1);
  expect(Number(open[0]?.expected)).toBeGreaterThan(0);
});

test('the table of contacts is created as it says', () => {
  const toPlain = (statement: string) =>
    statement
      .replaceAll('"', '')
      .replaceAll('if not exists ', '')
      .replaceAll('timestamp with time zone', 'timestamptz')
      .replace(/\s+/g, ' ')
      .replaceAll('( ', '(')
      .replaceAll(' )', ')');
  const { create } = toStatements('CONTACTS', 'crm', 'contacts');
  const printed = find('sql', 'create table crm.contacts');
  expect(toPlain(printed).trim()).toBe(toPlain(`${create};`).trim());
});

test('its other operations are taken', async () => {
  await warehouse.query('create schema demo_crm');
  const { setSyncConfiguration } = await execute('customObjects:');
  expect(setSyncConfiguration.syncConfiguration.standardObjects).toEqual([
    { object: 'tickets', table: null },
    { object: 'deals', table: 'opportunities' },
  ]);
  const { upsertCustomer } = await execute('destinationConfig: {');
  expect(upsertCustomer.customer.connections).toContainEqual({
    providerName: 'HUBSPOT',
    connectionSyncConfig: { destinationConfig: { schema: 'demo_crm' } },
  });
  const { startSync } = await execute('startSync');
  expect(startSync.connection.syncs.length).toBeGreaterThan(0);
  const { customer } = await execute('incompleteRecords');
  expect(customer.connections[0].syncs[0].incompleteRecords).toEqual({ count: 0, examples: [] });
});

test('every sample of the guide was executed', () => {
  const left = SAMPLES.filter(
    ({ language, code }) => ['graphql', 'sql'].includes(language) && !executed.has(code),
  );
  expect(left.map(({ code }) => code)).toEqual([]);
});

function find(language: string, words: string): string {
  const found = SAMPLES.filter((one) => one.language === language && one.code.includes(words));
  expect(found.map(({ code }) => code)).toHaveLength(1);
  const code = found[0]?.code ?? '';
  executed.add(code);
  return code;
}

async function sql(words: string): Promise<Json[]> {
  return (await warehouse.query(find('sql', words))).rows;
}

async function execute(words: string): Promise<Json> {
  const query = find('graphql', words).replace(PRINTED_URL, toUrl(target.url));
  const { body } = await crossbook.rest('POST', '/graphql', { query });
  expect(body.errors?.map(({ message }: Json) => message)).toBeUndefined();
  return body.data;
}

/** The servers of the tests trust whoever connects: any password is right. */
function toUrl(url: string): string {
  const given = new URL(url);
  given.username ||= 'postgres';
  given.password ||= 'unused';
  given.search = '';
  return given.href;
}
