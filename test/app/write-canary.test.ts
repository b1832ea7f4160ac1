import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Collector, openCollector } from '../support/collector.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { readRows } from '../support/read-rows.ts';
import { toFetch } from '../support/to-fetch.ts';
import { CREATE, openWritable, outcomesOf, UPDATE, UPSERT } from '../support/write-contacts.ts';
import { toSpellings } from './find-in-storage.ts';

let database: TestDatabase;
let collector: Collector;
let crossbook: TestApp;
beforeAll(async () => {
  database = await createTestDatabase();
  collector = await openCollector();
  crossbook = await openApp({
    database: { url: database.url },
    logLevel: 'debug',
    sandbox: { port: 0, hosts: [], all: true },
    traces: { endpoint: collector.endpoint, headers: {}, serviceName: 'crossbook' },
  });
});
afterAll(() => database.drop());
afterAll(() => collector.close());

const PROVIDERS = ['hubspot', 'salesforce', 'pipedrive'] as const;
const OPERATIONS = {
  hubspot: 'contacts.batchCreate',
  salesforce: 'composite.write',
  pipedrive: 'persons.create',
} as const;
/** A field of each CRM that the common shape lacks, with a value that the CRM refuses. */
const RAW = { hubspot: 'jobtitle', salesforce: 'Title', pipedrive: 'job_title' } as const;
const REFUSED = { hubspot: 'createdate', salesforce: 'Birthdate', pipedrive: 'owner_id' };

test('A value that is written is in no log line, span, metric or row, whatever becomes of its record', async () => {
  const canaries: string[] = [];
  const plant = () => {
    const canary = `canary${randomUUID().slice(-12)}`;
    canaries.push(canary);
    return canary;
  };
  const ids: string[] = [];
  const audited: Json[] = [];
  for (const provider of PROVIDERS) {
    const { account, run, headers } = await openWritable(crossbook, {
      provider,
      people: [{ firstName: 'Old', lastName: 'Old', email: 'old@canary.example' }],
      customerId: `canary ${provider}`,
    });
    const write = async (query: string, input: object) => {
      const done = await run(query, input);
      expect(done.errors).toBeUndefined();
      ids.push(done.write.id);
      return done;
    };
    const changes = () => ({
      firstName: plant(),
      lastName: plant(),
      rawFields: { [RAW[provider]]: plant() },
    });
    const created = await write(CREATE, {
      idempotencyKey: 'canary',
      records: [{ changes: changes() }],
    });
    expect([provider, created.results[0].problems]).toEqual([provider, []]);
    const email = `${plant()}@canary.example`;
    await write(UPSERT, { records: [{ email, changes: changes() }] });
    const [{ remoteId }] = created.results;
    await write(UPDATE, { records: [{ remoteId, changes: changes() }] });
    const refused = await write(CREATE, {
      records: [{ changes: { ...changes(), rawFields: { [REFUSED[provider]]: plant() } } }],
    });
    expect(outcomesOf(refused)).toEqual(['REFUSED']);
    for (const status of [400, 500]) {
      // The CRM repeats in its response what it was sent.
      account.fail({ kind: 'echo', status } as never, { operation: OPERATIONS[provider] });
      const echoed = await write(CREATE, { records: [{ changes: changes() }] });
      expect(outcomesOf(echoed)).not.toEqual(['CREATED']);
      audited.push(echoed.results);
    }
    account.fail({ kind: 'reset-after' } as never, { operation: OPERATIONS[provider] });
    const lost = await write(CREATE, { records: [{ changes: changes() }] });
    expect(outcomesOf(lost)).toEqual(['UNKNOWN']);
    const { body } = await crossbook.rest(
      'GET',
      `/writes?customer_id=canary%20${provider}`,
      undefined,
      headers,
    );
    expect(body.records).toHaveLength(7);
    audited.push(body);
  }
  const metrics = await (
    await toFetch(crossbook.app.answer)(new Request('http://crossbook.test/metrics'))
  ).text();
  const rows = await readRows(database.url);
  for (const id of ids) expect(rows.filter((row) => row.includes(id)).length).toBeGreaterThan(0);
  expect(crossbook.log.length).toBeGreaterThan(20);
  expect(metrics).toContain('crossbook_provider_calls_total');
  for (const provider of PROVIDERS)
    await crossbook.rest('DELETE', `/customers/canary%20${provider}`);
  const left = await readRows(database.url);
  expect(left.filter((row) => ids.some((id) => row.includes(id)))).toEqual([]);
  // The last spans are sent at the end.
  await crossbook.close();
  const spans = JSON.stringify(collector.spans());
  expect(spans).toContain('writeRecords');
  const places: Readonly<Record<string, string>> = {
    log: crossbook.log.join('\n'),
    spans,
    metrics,
    rows: rows.join('\n'),
    audit: JSON.stringify(audited),
  };
  for (const [place, text] of Object.entries(places))
    for (const canary of canaries)
      for (const spelling of toSpellings(canary))
        expect(text.includes(spelling), `${canary} in the ${place}`).toBe(false);
});

test('Results are stored sealed: no row shows an outcome, an id of the CRM or a problem', async () => {
  const own = await createTestDatabase();
  const app = await openApp({ database: { url: own.url } });
  const { run, headers } = await openWritable(app, {
    provider: 'hubspot',
    people: [],
    customerId: 'sealed',
  });
  const done = await run(CREATE, {
    records: [{ changes: { lastName: 'L' } }, { changes: { rawFields: { no_such_field: 'x' } } }],
  });
  expect(outcomesOf(done)).toEqual(['CREATED', 'REFUSED']);
  const rows = (await readRows(own.url)).filter((row) => row.includes(done.write.id));
  expect(rows).toHaveLength(1);
  for (const text of ['CREATED', 'REFUSED', 'UNKNOWN_FIELD', 'no_such_field'])
    expect(rows[0]).not.toContain(text);
  expect(JSON.parse(rows[0] ?? '{}').sealed).not.toContain(done.results[0].remoteId);
  await app.rest('DELETE', '/customers/sealed', undefined, headers);
  expect((await readRows(own.url)).some((row) => row.includes(done.write.id))).toBe(false);
  await app.close();
  await own.drop();
});
