import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  type Crm,
  openSyncWorldOf,
  SYNC_NOTHING,
  type SyncWorldOf,
} from '../support/sync-world.ts';

let world: SyncWorldOf;
let server: Server;
let respond: (request: IncomingMessage, call: number) => Reply = () => ({ json: {} });
let calls = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      calls += 1;
      const {
        json,
        text = JSON.stringify(json),
        headers = {},
        status = 200,
      } = respond(request, calls);
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const crm = { origin, demo: { clientId: 'id', clientSecret: 'secret' } };
  world = await openSyncWorldOf({ sandbox: { hubspot: crm, salesforce: crm } });
  await world.setDestination();
});
afterAll(async () => {
  await world.close();
  server.closeAllConnections();
  server.close();
});

/** Syncs one object of a customer, and returns the sync with its last run. */
async function sync(provider: Crm, object: string, crm: typeof respond) {
  respond = crm;
  calls = 0;
  for (const one of ['hubspot', 'salesforce'] as const) {
    const customObjects = one === provider ? [{ object, table: null }] : [];
    await world.stores.syncs.setConfiguration(one, { ...SYNC_NOTHING, customObjects });
  }
  const customerId = `${provider}-${object}`.toLowerCase();
  const account = { instanceUrl: world.sandbox.salesforce.origin, accessToken: 'token' };
  await world.connect({ customerId, provider, account });
  await world.runner.runDue({ isOver: () => calls > 2_000 });
  const [found] = await world.syncsOf(customerId, provider);
  expect(world.runner.errors.splice(0)).toEqual([]);
  return found;
}

const PROPERTIES = { results: [{ name: 'name' }] };
const FIELDS = { fields: [{ name: 'Id' }, { name: 'SystemModstamp' }] };
const HEADERS = { 'x-hubspot-ratelimit-max': '1000', 'x-hubspot-ratelimit-remaining': '1000' };
const LIMITS = { ...HEADERS, 'x-hubspot-ratelimit-interval-milliseconds': '1000' };
const record = (id: number | string) => ({ id: String(id), properties: { name: `N${id}` } });
const toId = (n: number) => `a00${String(n).padStart(12, '0')}`;
const toRow = (n: number) => ({ Id: toId(n), SystemModstamp: '2026-11-20T00:00:00.000+0000' });

function hubspot(page: (call: number) => object): typeof respond {
  return ({ url = '' }, call) => ({
    json: url.includes('/properties/') ? PROPERTIES : page(call),
    headers: LIMITS,
  });
}

function salesforce(rows: (call: number) => readonly object[], deleted: readonly object[] = []) {
  return ({ url = '' }: IncomingMessage, call: number): Reply => {
    if (url.includes('/describe')) return { json: FIELDS };
    if (url.includes('/deleted/')) return { json: { deletedRecords: deleted } };
    const records = rows(call);
    return { json: { totalSize: records.length, done: true, records } };
  };
}

const many = <Item>(count: number, make: (n: number) => Item) =>
  Array.from({ length: count }, (_, n) => make(n));

test.each<[string, Crm, string, typeof respond, RegExp]>([
  [
    'repeats its cursor',
    'hubspot',
    '2-1',
    hubspot(() => ({ results: [record(1)], paging: { next: { after: 'again' } } })),
    /repeats/,
  ],
  [
    'has cursors in a circle',
    'hubspot',
    '2-2',
    hubspot((call) => ({ results: [record(1)], paging: { next: { after: `c${call % 7}` } } })),
    /repeats/,
  ],
  [
    'sends empty pages without end',
    'hubspot',
    '2-3',
    hubspot((call) => ({ results: [], paging: { next: { after: `c${call}` } } })),
    /empty pages/,
  ],
  [
    'sends a page of rows again and again',
    'salesforce',
    'Again__c',
    salesforce(() => many(2_000, toRow)),
    /repeats/,
  ],
  [
    'sends a cursor of a megabyte',
    'hubspot',
    '2-4',
    hubspot((call) => ({
      results: [record(call)],
      paging: { next: { after: 'x'.repeat(1_000_000) } },
    })),
    /cursor/,
  ],
  [
    'sends a cursor that no database stores',
    'hubspot',
    '2-5',
    hubspot(() => ({ results: [record(1)], paging: { next: { after: 'a\0' } } })),
    /cursor/,
  ],
  [
    'sends an id of a hundred kilobytes',
    'salesforce',
    'Long__c',
    salesforce(() => [{ ...toRow(1), Id: '1'.repeat(100_000) }]),
    /id/,
  ],
])('a CRM that %s fails its sync', async (_, provider, object, crm, words) => {
  const found = await sync(provider, object, crm);
  expect(found).toMatchObject({
    status: 'FAILED',
    error: { code: 'PROVIDER_UNAVAILABLE', detail: expect.stringMatching(words) },
  });
  expect(calls).toBeLessThan(1_500);
});

test('a list of a hundred thousand deleted records is written in parts', async () => {
  const deleted = [...many(99_000, (n) => ({ id: toId(n) })), { id: '"\\'.repeat(200_000) }];
  await sync(
    'salesforce',
    'Deleted__c',
    salesforce(() => [toRow(1), toRow(500_000)]),
  );
  world.pass(20 * 60_000);
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const found = await sync(
    'salesforce',
    'Deleted__c',
    salesforce(() => [], deleted),
  );
  const lists = query.mock.calls.flatMap(([, values]) => (Array.isArray(values) ? values : []));
  query.mockRestore();
  expect(found?.runs.map((run) => run.deleted)).toContain(1);
  const rows = await world.rows(
    "select is_deleted from crm.salesforce_deleted__c where customer_id = 'salesforce-deleted__c' order by id",
  );
  expect(rows).toEqual([{ is_deleted: true }, { is_deleted: false }]);
  const lengths = lists.filter(Array.isArray).map((list) => JSON.stringify(list).length);
  expect(lengths.length).toBeGreaterThan(10);
  expect(Math.max(...lengths)).toBeLessThan(100_000);
});

test('a CRM that asks for a pause of years is called again within a day', async () => {
  const crm = () => ({ status: 429, json: {}, headers: { 'retry-after': '99999999' } });
  const found = await sync('hubspot', '2-7', crm);
  expect(found?.status).toBe('FAILED');
  const wait = Number(found?.nextRunAt) - world.clock.wall();
  expect(wait).toBeLessThanOrEqual(24 * 60 * 60_000);
});

test('numbers of Salesforce that no double holds are copied with all their digits', async () => {
  const row = JSON.stringify(toRow(1)).slice(0, -1);
  const crm = ({ url = '' }: IncomingMessage): Reply => {
    if (url.includes('/describe')) return { json: FIELDS };
    if (url.includes('/deleted/')) return { json: { deletedRecords: [] } };
    const record = `${row},"Large__c":123456789012345678,"Exact__c":1234.5,"Fine__c":12345678901234567.89}`;
    return { json: null, text: `{"totalSize":1,"done":true,"records":[${record}]}` };
  };
  await sync('salesforce', 'Numbers__c', crm);
  const [copied] = await world.rows('select data from crm.salesforce_numbers__c');
  expect(copied.data).toMatchObject({
    Large__c: '123456789012345678',
    Exact__c: 1234.5,
    Fine__c: '12345678901234567.89',
  });
});

interface Reply {
  readonly json: unknown;
  /** In place of `json`. */
  readonly text?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}
