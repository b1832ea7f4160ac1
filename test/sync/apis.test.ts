import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../support/databases.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { toSyncHosts } from '../support/sync-hosts.ts';
import { toFetch } from '../support/to-fetch.ts';

/** The operations of GraphQL and REST, on the whole product. */
let own: TestDatabase;
let target: TestDatabase;
let crossbook: TestApp;
let url: URL;
let secret: string;
let answers = '';

beforeAll(async () => {
  own = await createTestDatabase();
  target = await createEmptyDatabase();
  url = new URL(target.url);
  url.username ||= 'postgres';
  url.password ||= 'unused-secret';
  url.search = '';
  secret = decodeURIComponent(url.password);
  crossbook = await openApp({ database: { url: own.url }, syncHosts: toSyncHosts(url) });
  const warehouse = new pg.Client({ connectionString: target.url });
  await warehouse.connect();
  await warehouse.query('create schema crm');
  await warehouse.end();
});
afterAll(async () => {
  await crossbook.close();
  await target.drop();
  await own.drop();
});

async function rest(method: string, path: string, body?: unknown) {
  const answer = await crossbook.rest(method, path, body);
  answers += JSON.stringify(answer.body ?? null);
  return answer;
}

async function graphql(query: string, variables: object = {}): Promise<Json> {
  const answer = await crossbook.execute(query, variables);
  answers += JSON.stringify(answer);
  return answer;
}

const SET_DESTINATION = `mutation ($input: SetSyncDestinationInput!) {
  setSyncDestination(input: $input) { syncDestination { postgres { host schema hasCaCertificate } } }
}`;
const SET_CONFIGURATION = `mutation ($input: SetSyncConfigurationInput!) {
  setSyncConfiguration(input: $input) { syncConfiguration { provider contacts isEnabled } }
}`;
const HOST = 'postgresql://me:hidden-word@db.example.com/x';

describe('a destination that cannot be is refused in words, and nothing is stored:', () => {
  test.each([
    ['no URL', { url: 'nonsense', schema: 'crm' }, 'must be a URL'],
    ['query parameters', { url: `${HOST}?sslmode=disable`, schema: 'crm' }, 'query parameters'],
    [
      'a host that the operator does not list',
      { url: HOST, schema: 'crm' },
      'does not allow syncs to write to db.example.com:5432: it has to be in the setting CROSSBOOK_SYNC_HOSTS',
    ],
    ['port 0', { url: HOST.replace('.com', '.com:0'), schema: 'crm' }, 'a port from 1 to 65535'],
    ['Crossbook’s own database', { url: 'OWN', schema: 'public' }, 'database of Crossbook itself'],
    ['a schema with a quote', { url: HOST, schema: 'c"rm' }, 'is not a valid name'],
    ['a schema of 70 bytes', { url: HOST, schema: 's'.repeat(70) }, 'more than 63 bytes'],
    ['our own schema', { url: HOST, schema: 'crossbook' }, 'is reserved'],
    ['a certificate that is none', { url: HOST, schema: 'crm', caCertificate: 'x' }, 'PEM'],
    ['a schema that is not there', { url: 'URL', schema: 'nowhere' }, 'does not exist'],
    ['a database that is not there', { url: 'OTHER', schema: 'crm' }, 'There is no database'],
  ])('%s', async (_what, given, words) => {
    const other = new URL(url.href);
    other.pathname = '/no_such_database';
    const ours = new URL(url.href);
    ours.pathname = new URL(own.url).pathname;
    const urls: Record<string, URL> = { URL: url, OTHER: other, OWN: ours };
    const postgres = { ...given, url: urls[given.url]?.href ?? given.url };
    const { errors, data } = await graphql(SET_DESTINATION, { input: { postgres } });
    expect(data?.setSyncDestination ?? null).toBeNull();
    expect(errors).toHaveLength(1);
    expect(errors[0].extensions.code ?? errors[0].extensions.problemType).toMatch(
      /UNPROCESSABLE_ENTITY/,
    );
    expect(errors[0].message).toContain(words);
    const { caCertificate, ...wire } = postgres as Record<string, string>;
    const asked = {
      postgres: { ...wire, ...(caCertificate && { ca_certificate: caCertificate }) },
    };
    const { status, body } = await rest('PUT', '/sync_destination', asked);
    expect(status).toBe(422);
    expect(body.errors[0].detail).toContain(words);
    expect((await rest('GET', '/sync_destination')).status).toBe(404);
    expect(answers).not.toContain('hidden-word');
  });
});

describe('a configuration that cannot be is refused in words, and nothing is stored:', () => {
  const object = (name: string, table?: string) => ({ object: name, ...(table && { table }) });
  test.each([
    [
      'a table with a quote',
      { standardObjects: [object('companies', 'a"b')] },
      'is not a valid name',
    ],
    [
      'a table of 70 bytes',
      { standardObjects: [object('companies', 't'.repeat(70))] },
      'more than 63 bytes',
    ],
    [
      'two objects into one table',
      { standardObjects: [object('companies', 'a'), object('deals', 'a')] },
      'already used by another sync',
    ],
    [
      'an object into contacts',
      { contacts: true, customObjects: [object('a', 'contacts')] },
      'already used by another sync',
    ],
    [
      'an object twice',
      { standardObjects: [object('deals')], customObjects: [object('deals', 'x')] },
      'more than once',
    ],
    ['an object that is no name', { standardObjects: [object('a/b')] }, 'is not a valid name'],
  ])('%s', async (_what, given, words) => {
    const { errors } = await graphql(SET_CONFIGURATION, {
      input: { provider: 'HUBSPOT', ...given },
    });
    expect(errors[0].message).toContain(words);
    const lists = given as Record<string, unknown>;
    const { status, body } = await rest('PUT', '/sync_configurations/hubspot', {
      ...(lists['contacts'] === true && { contacts: true }),
      standard_objects: lists['standardObjects'] ?? [],
      custom_objects: lists['customObjects'] ?? [],
    });
    expect(status).toBe(422);
    expect(body.errors[0].detail).toContain(words);
    expect((await rest('GET', '/sync_configurations')).body.records).toEqual([]);
  });

  test.each([59, 2_592_001])('an interval of %i seconds', async (seconds) => {
    const input = { provider: 'HUBSPOT', contacts: true, intervalSeconds: seconds };
    expect((await graphql(SET_CONFIGURATION, { input })).errors).toHaveLength(1);
    const body = { contacts: true, interval_seconds: seconds };
    expect((await rest('PUT', '/sync_configurations/hubspot', body)).status).toBeGreaterThanOrEqual(
      400,
    );
  });

  test('a provider that has no contacts', async () => {
    const { errors } = await graphql(SET_CONFIGURATION, {
      input: { provider: 'ZENDESK_SELL', contacts: true },
    });
    expect(errors[0].message).toContain('cannot be synced');
    expect(
      (await rest('PUT', '/sync_configurations/zendesk_sell', { contacts: true })).status,
    ).toBe(501);
  });
});

test('both show what either has set, and the syncs run', async () => {
  const wire = { postgres: { url: url.href, schema: 'crm' } };
  const set = await rest('PUT', '/sync_destination', wire);
  expect(set).toMatchObject({
    status: 200,
    body: { postgres: { host: url.hostname, schema: 'crm' } },
  });
  const shown = await graphql('{ syncDestination { postgres { host schema } updatedAt } }');
  expect(shown.data.syncDestination.postgres).toEqual({ host: url.hostname, schema: 'crm' });
  const input = {
    provider: 'SALESFORCE',
    contacts: false,
    customObjects: [{ object: 'Machine__c' }],
  };
  expect((await graphql(SET_CONFIGURATION, { input })).data.setSyncConfiguration).toEqual({
    syncConfiguration: { provider: 'SALESFORCE', contacts: false, isEnabled: true },
  });
  expect((await rest('GET', '/sync_configurations')).body.records).toMatchObject([
    { provider_name: 'salesforce', contacts: false, custom_objects: [{ object: 'Machine__c' }] },
  ]);
  const path = '/customers/demo/connections/salesforce/syncs';
  await expect
    .poll(async () => (await rest('GET', path)).body.records[0], { interval: 300 })
    .toMatchObject({ status: 'idle', last_run: { is_full: false } });
  const [listed] = (await rest('GET', path)).body.records;
  expect(listed).toMatchObject({ kind: 'custom', table: 'salesforce_machine__c', status: 'idle' });
  const SYNCS = `{ customer(customerId: "demo") { connections { providerName syncs { table status lastRun { isFull } runs { isFull records } } } } }`;
  const { data } = await graphql(SYNCS);
  expect(data.customer.connections).toContainEqual({
    providerName: 'SALESFORCE',
    syncs: [
      {
        table: 'salesforce_machine__c',
        status: 'IDLE',
        lastRun: { isFull: expect.any(Boolean) },
        runs: expect.arrayContaining([{ isFull: true, records: 12 }]),
      },
    ],
  });
});

test('syncs are paused and resumed, and a customer token reads them only', async () => {
  const path = '/customers/demo/connections/salesforce/syncs';
  const paused = await rest('POST', `${path}/_pause`, { table: 'salesforce_machine__c' });
  expect(paused.status).toBe(200);
  expect((await rest('GET', path)).body.records[0]).toMatchObject({
    status: 'paused',
    pause_reason: 'requested',
  });
  const resume =
    'mutation { resumeSync(input: { customerId: "demo", provider: SALESFORCE }) { connection { syncs { status } } } }';
  expect((await graphql(resume)).data.resumeSync.connection.syncs[0].status).not.toBe('PAUSED');
  const issue = 'mutation { issueCustomerToken(input: { customerId: "demo" }) { token } }';
  const { token } = (await crossbook.execute(issue)).data.issueCustomerToken;
  const asCustomer = async (method: string, of: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const request = new Request(`http://crossbook.test${of}`, { method, headers });
    return (await toFetch(crossbook.app.answer)(request)).status;
  };
  expect(await asCustomer('GET', path)).toBe(200);
  expect(await asCustomer('POST', `${path}/_pause`)).toBe(403);
  for (const other of ['/sync_destination', '/sync_configurations'])
    expect(await asCustomer('GET', other)).toBe(403);
  for (const unknown of [
    rest('POST', `${path}/_start`, { table: 'nothing' }),
    rest('POST', `${path.replace('demo', 'nobody')}/_start`, {}),
    rest('GET', path.replace('demo', 'nobody')),
  ])
    expect((await unknown).status).toBe(404);
});

test('the password of the destination is in no response, log or metric, and sealed at rest', async () => {
  const metrics = JSON.stringify(await crossbook.app.readMetrics());
  for (const text of [answers, crossbook.log.join(''), metrics])
    expect(text).not.toContain(`:${secret}@`);
  const ours = new pg.Client({ connectionString: own.url });
  await ours.connect();
  const { rows } = await ours.query('select * from crossbook.sync_destinations');
  await ours.end();
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(`"${secret}"`);
  expect((await rest('DELETE', '/sync_destination')).status).toBe(204);
  expect((await rest('DELETE', '/sync_destination')).status).toBe(404);
  expect((await graphql('{ syncDestination { updatedAt } }')).data.syncDestination).toBeNull();
});
