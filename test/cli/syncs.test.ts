import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../support/databases.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { planEverything } from '../support/plan-everything.ts';
import { runCli } from '../support/run-cli.ts';

let own: TestDatabase;
let target: TestDatabase;
let env: Record<string, string>;
let url: string;
let secret: string;
const run = (line: string, input?: string, more: Record<string, string> = {}) =>
  runCli(line.split(' '), { env: { ...env, ...more }, ...(input !== undefined && { input }) });

beforeAll(async () => {
  own = await createTestDatabase();
  target = await createEmptyDatabase();
  const given = new URL(target.url);
  given.username ||= 'postgres';
  given.password ||= 'kept-secret';
  secret = decodeURIComponent(given.password);
  given.search = '';
  url = given.href;
  env = {
    DATABASE_URL: own.url,
    CROSSBOOK_KEYS: `k1:${Buffer.alloc(32, 'k1').toString('base64')}`,
    CROSSBOOK_SYNC_HOSTS: `${given.hostname}:${given.port || 5432}`,
    CROSSBOOK_SYNC_PLAIN_HOSTS: `${given.hostname}:${given.port || 5432}`,
  };
  const warehouse = new pg.Client({ connectionString: target.url });
  await warehouse.connect();
  await warehouse.query('create schema crm');
  await warehouse.end();
  await run('apps create Acme');
});
afterAll(() => Promise.all([own.drop(), target.drop()]));

/** Records a run of each sync of contacts. */
async function record(values: string): Promise<void> {
  const client = new pg.Client({ connectionString: own.url });
  await client.connect();
  await client.query(
    `insert into crossbook.sync_runs (application_id, connection_id, kind, object, started_at, finished_at, is_full,
      records, deleted)
    select application_id, connection_id, kind, object, ${values}, 0 from crossbook.syncs where kind = 'CONTACTS'`,
  );
  await client.end();
}

test('a destination is set from standard input, shown without its password, and deleted', async () => {
  expect((await run('sync-destination show Acme')).stdout).toBe('There is no sync destination.\n');
  const set = await run('sync-destination set Acme --schema crm', `${url}\n`);
  const { hostname, pathname, port, username } = new URL(url);
  expect([set.code, set.stdout]).toEqual([
    0,
    `Acme syncs to the schema crm of ${pathname.slice(1)} at ${hostname}.\n`,
  ]);
  const shown = await run('sync-destination show Acme');
  expect(shown.stdout).toBe(`${username}@${hostname}:${port || 5432}${pathname}, schema crm\n`);
  const json = await run('sync-destination show Acme --json');
  expect(json.json()).toMatchObject({ postgres: { schema: 'crm', hasCaCertificate: false } });
  expect(set.stdout + shown.stdout + json.stdout).not.toContain(secret);
  expect((await run('sync-destination delete Acme')).code).toBe(0);
  const again = await run('sync-destination delete Acme');
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringContaining('has no sync destination'),
  ]);
});

test('what is synced is set from standard input, and listed in the form in which it is set', async () => {
  expect((await run('sync-configurations list Acme')).stdout).toBe(
    'There are no sync configurations.\n',
  );
  const configuration = {
    contacts: true,
    standardObjects: [{ object: 'companies' }],
    customObjects: [{ object: '2-1001', table: 'subscriptions' }],
    intervalSeconds: 300,
  };
  const set = await run('sync-configurations set Acme hubspot', JSON.stringify(configuration));
  expect([set.code, set.stdout]).toEqual([0, 'Acme syncs hubspot every 300 seconds.\n']);
  expect((await run('sync-configurations list Acme')).stdout).toBe(
    'hubspot  contacts companies 2-1001  every 300 s  enabled\n',
  );
  const [listed] = (await run('sync-configurations list Acme --json')).json();
  const again = await run('sync-configurations set Acme hubspot', JSON.stringify(listed));
  expect(again.code).toBe(0);
});

test.each([
  ['sync-destination set Acme', 'postgresql://a:b@c.example/d', 2, 'Missing: --schema'],
  ['sync-destination set Acme --schema crm', 'nonsense', 1, 'must be a URL'],
  ['sync-destination set Acme --schema crm', 'postgresql://a:b@c.example/d?x=1', 1, 'query'],
  [
    'sync-destination set Acme --schema crm',
    'postgresql://a:b@10.0.0.1/d',
    1,
    'CROSSBOOK_SYNC_HOSTS',
  ],
  ['sync-destination set Acme --schema pg_catalog', 'URL', 1, 'is reserved'],
  ['sync-destination set Acme --schema nowhere', 'URL', 1, '"nowhere" does not exist'],
  ['sync-destination set Nobody --schema crm', 'URL', 1, 'There is no application'],
  ['sync-configurations set Acme hubspot', 'nonsense', 2, 'is not a JSON object'],
  ['sync-configurations set Acme hubspot', '{"contact":true}', 2, '"contact" is not known'],
  ['sync-configurations set Acme hubspot', '{"standardObjects":[1]}', 2, 'standardObjects[0]'],
  ['sync-configurations set Acme hubspot', '{"intervalSeconds":5}', 1, 'intervalSeconds must be'],
  [
    'sync-configurations set Acme hubspot',
    '{"contacts":true,"standardObjects":[{"object":"a","table":"contacts"}]}',
    1,
    'already used by another sync',
  ],
  ['sync-configurations set Acme zendesk_sell', '{"contacts":true}', 1, 'cannot be synced'],
  ['sync-configurations set Acme nothing', '{"contacts":true}', 2, 'is not a provider'],
  ['syncs list Acme nobody', undefined, 1, 'has no customer "nobody"'],
  ['syncs start Acme nobody hubspot', undefined, 1, 'has no such sync'],
])('%s, given %s, ends with %i', async (line, input, code, words) => {
  const ended = await run(line, input === 'URL' ? url : input);
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(ended.stderr).toContain(words);
  expect(ended.stderr).not.toContain(secret);
});

test('the syncs of a customer are listed, started, paused and resumed', async () => {
  await run('sync-destination set Acme --schema crm', url);
  const [{ id }] = (await run('apps list --json')).json();
  const keyRing = parseKeyRing(env['CROSSBOOK_KEYS'] ?? '');
  const database = await openDatabase({ url: own.url }, { ...PATIENT_DATABASE, keyRing });
  const connections = [
    {
      providerName: 'hubspot' as const,
      instanceUrl: null,
      connectionSyncConfig: null,
      credentials: { type: 'token' as const, value: 'token' },
    },
  ];
  const customer = { customerId: 'globex', name: 'Globex', email: 'a@globex.example' };
  await database.forApplication(id).customers.upsert({ ...customer, connections });
  await planEverything(database.syncPlans);
  await database.close();
  const list = async () => (await run('syncs list Acme globex')).stdout.trimEnd().split('\n');
  expect(await list()).toEqual([
    'hubspot  contacts           pending  not run yet',
    'hubspot  hubspot_companies  pending  not run yet',
    'hubspot  subscriptions      pending  not run yet',
  ]);
  const paused = await run('syncs pause Acme globex hubspot --table contacts --json');
  expect(paused.json()).toMatchObject({ table: 'contacts', changed: 1 });
  expect((await list())[0]).toBe('hubspot  contacts           paused   not run yet');
  expect((await run('syncs resume Acme globex hubspot')).stdout).toBe('3 syncs resumed.\n');
  expect((await run('syncs start Acme globex hubspot --full')).stdout).toBe('3 syncs started.\n');
  expect((await list())[0]).toContain('pending');
  const [row] = (await run('syncs list Acme globex --json')).json();
  expect(row).toMatchObject({ provider: 'hubspot', kind: 'CONTACTS', status: 'PENDING' });
  await record("'2026-01-01', '2026-01-02', true, 24937");
  await record("'2026-01-02', '2026-01-03', false, 0");
  expect((await list())[0]).toBe(
    'hubspot  contacts           idle     last run: 0 rows, 0 deleted; last full run: 24937 rows, 0 deleted',
  );
});
