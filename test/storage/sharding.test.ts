import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NewConnectFlow, NewConnectLink } from '../../src/domain/connect-link.ts';
import type { Grant } from '../../src/domain/oauth.ts';
import { digest } from '../../src/lib/digest.ts';
import { type ApplicationStores, type Database, openDatabase } from '../../src/storage/database.ts';
import { createTestDatabase, TEST_RING } from '../support/databases.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { openRival, type Rival } from '../support/postgres-rival.ts';
import { listStatements, recordStatements } from './list-statements.ts';
import { findUnbound, isBoundToApplication } from './sharding-rules.ts';

/**
 * What a PostgreSQL that is distributed by `application_id` needs: the column is in every key, and in every statement.
 * Everything else is listed here with its reason.
 */
const STORAGE = join(import.meta.dirname, '../../src/storage');
let close: (() => Promise<unknown>)[] = [];
let rival: Rival;
let url: string;

beforeAll(async () => {
  const fresh = await createTestDatabase();
  rival = await openRival(fresh.url);
  url = fresh.url;
  close = [rival.close, fresh.drop];
});
afterAll(async () => {
  for (const one of close) await one();
});

/** Tables that are not rows of one application. */
const GLOBAL_TABLES = {
  applications: 'the applications themselves',
  api_keys: 'a key is looked up before its application is known',
  job_leases: 'jobs of the installation',
};

/** Unique indexes without the application. The previous version names them in ON CONFLICT: dropped one release later. */
const PREVIOUS_VERSION = [
  'credentials_of_connection',
  'mapping_problems_of_connection',
  'webhook_deliveries_of_event',
];

describe('tables', () => {
  test('every primary key begins with application_id', async () => {
    const keys = await rival.run(`
      select relname as "table", attname as first from pg_index
      join pg_class as owner on owner.oid = indrelid
      join pg_attribute on attrelid = indrelid and attnum = indkey[0]
      where indisprimary and relnamespace = 'crossbook'::regnamespace and relname <> 'migrations'`);
    expect(keys.length).toBeGreaterThan(15);
    const others = keys.filter(({ first }) => first !== 'application_id');
    expect(others.map(({ table }) => table).sort()).toEqual(Object.keys(GLOBAL_TABLES).sort());
  });

  test('every unique index has application_id', async () => {
    const indexes = await rival.run(`
      select index.relname as name from pg_index
      join pg_class as index on index.oid = indexrelid
      where indisunique and relnamespace = 'crossbook'::regnamespace and relname <> 'migrations_pkey' and not exists (
        select from pg_attribute
        where attrelid = indrelid and attnum = any (indkey) and attname = 'application_id'
      )`);
    const names = indexes.map(({ name }) => String(name));
    const global = Object.keys(GLOBAL_TABLES).map((table) => `${table}_pkey`);
    expect(names.sort()).toEqual([...global, ...PREVIOUS_VERSION].sort());
  });

  test('every foreign key has application_id on both sides, or leads to the application', async () => {
    const keys = await rival.run(`
      select conname as name, owner.relname as target,
        (select count(*)::int from pg_attribute where attname = 'application_id' and (
          (attrelid = conrelid and attnum = any (conkey)) or (attrelid = confrelid and attnum = any (confkey))
        )) as sides
      from pg_constraint join pg_class as owner on owner.oid = confrelid
      where contype = 'f' and connamespace = 'crossbook'::regnamespace`);
    expect(keys.length).toBeGreaterThan(10);
    const others = keys.filter(({ sides, target }) => sides !== 2 && target !== 'applications');
    expect(others).toEqual([]);
  });

  test('no statement uses a system column, whose values differ between nodes', async () => {
    const texts = (await listStatements()).filter(({ text }) => /\b(xmin|ctid)\b/.test(text));
    expect(texts).toEqual([]);
  });
});

/** Why statements are not about one application, and which they are. */
const ACROSS_APPLICATIONS = {
  'found before the application is known': [
    'find_callers',
    'take_connect_flow',
    'find_granted_connections',
  ],
  'the operator, who manages all applications': [
    'revoke_key',
    'rotate_key',
    'mark_application_deleted',
    'count_stored',
    'usage_by_application',
    'list_audit',
    'usage_of_applications',
    'connections_to_renew',
    'syncs_behind',
    'endpoints_failing',
    'list_failing_endpoints',
    'list_providers_of_clients',
  ],
  'a part of other statements': ['applications', 'first_attempt'],
  'the webhook sender, which serves endpoints of all applications': [
    'look_for_deliveries',
    'claim_endpoints',
    'count_webhooks',
  ],
  'the sync workers': [
    'look_for_syncs',
    'find_unplanned_syncs',
    'walk_unplanned_syncs',
    'claim_syncs',
    'claim_row_removal',
    'count_syncs',
  ],
  'sweeps, the refresh of idle tokens and the outcomes of writes': [
    'remove_old_connect_links',
    'find_expired_credentials',
    'claim_idle_credentials',
    'sweep_aged',
    'evict_over_quota',
    'sweep_usage',
    'sweep_audit',
    'sweep_responses',
    'sweep_events',
    'sweep_writes',
    'expire_idempotency_keys',
    'claim_write',
    'forget_other_keys',
  ],
  'batches of several applications, whose rows name theirs': ['add_usage', 'write_contact_cache'],
};

/** Composed by Drizzle or for each table, so they have no name: a part of the text, and the reason. */
const ACROSS_COMPOSED = {
  'where "crossbook"."connect_links"."id" = $1 for update': 'the page of a link knows only its id',
  'from "crossbook"."customers" where exists (select from "crossbook"."connect_links"': 'the same',
  'left join "crossbook"."branding"': 'the same',
  'from "crossbook"."connect_links" where "crossbook"."connect_links"."id" = $1': 'the same',
  'returning "application_id"': 'the same',
  'where "crossbook"."connect_flows"."state_hash" = $1': 'a provider returns only the state',
  'where ("crossbook"."connect_flows"."provider_name" = $1 and "crossbook"."connect_flows"."cookie_hash"':
    'the same',
  'for update skip locked': 'the sweep of links',
  'where "crossbook"."connections"."provider_name" = $1':
    'a grant that is shared, of any application',
  'with recursive used as': 'the check of keys, at the start and for readiness',
};

describe('statements', () => {
  test('each names the application, or is listed with its reason', async () => {
    const statements = await listStatements();
    expect(statements.length).toBeGreaterThan(100);
    const listed = Object.values(ACROSS_APPLICATIONS).flat();
    expect(findUnbound(statements).sort()).toEqual([...listed].sort());
  });

  test('so does each that Drizzle composes', async () => {
    const sent = await recordStatements(() => useEveryStore(url));
    const texts = sent.map(({ text }) => text);
    const unbound = texts.filter((text) => !isBoundToApplication(text));
    const excuse = Object.keys(ACROSS_COMPOSED);
    const named = new Set((await listStatements()).map(({ text }) => text));
    expect(
      unbound.filter((text) => !named.has(text) && !excuse.some((part) => text.includes(part))),
    ).toEqual([]);
    expect(excuse.filter((part) => !unbound.some((text) => text.includes(part)))).toEqual([]);
    expect(findUnused(texts)).toEqual([]);
  });

  test.each([
    'select * from crossbook.events where id = $1::uuid',
    'select application_id as "applicationId" from crossbook.events where created_at < $1',
    'delete from crossbook.connections using crossbook.credentials where connections.application_id = $1::uuid',
    'update "crossbook"."connect_links" set "status" = $1 where "crossbook"."connect_links"."id" = $2',
    'insert into crossbook.webhook_deliveries (event_id, endpoint_id) values ($1::uuid, $2::uuid)',
  ])('is not about one application: %s', (text) => {
    expect(isBoundToApplication(text)).toBe(false);
  });
});

/** Advisory locks are not taken on a distributed PostgreSQL as on one. None is taken by a request that is frequent. */
const ADVISORY_LOCKS = {
  'admin.ts': 'the names of applications, and the data of the demo',
  'engine/client.ts': 'migrations, and the use of the demo’s data',
  'removals.ts': 'the removal of a connection whose grant other connections may share',
};

test('advisory locks are taken only where it is rare', () => {
  const files = readdirSync(STORAGE, { recursive: true, encoding: 'utf8' });
  const using = files.filter(
    (name) =>
      name.endsWith('.ts') &&
      /pg_(?:try_)?advisory/.test(readFileSync(join(STORAGE, name), 'utf8')),
  );
  expect(using.sort()).toEqual(Object.keys(ADVISORY_LOCKS).sort());
});

/** Which tables the sources read and write by Drizzle, and are not among the texts. */
function findUnused(texts: readonly string[]): readonly string[] {
  const sources = readdirSync(STORAGE).filter((name) => /^[a-z-]+\.ts$/.test(name));
  const used = sources.flatMap((name) =>
    [...readFileSync(join(STORAGE, name), 'utf8').matchAll(DRIZZLE)].map(
      ([, verb = '', table = '']) =>
        `${VERBS[verb]} "crossbook"."${toTable(table === 'table' ? 'webhookEndpoints' : table)}"`,
    ),
  );
  expect(used.length).toBeGreaterThan(30);
  return [...new Set(used)].filter((part) => !texts.some((text) => text.includes(part)));
}

const DRIZZLE =
  /\.(from|update|insert|delete)\((table|[a-z]+[A-Z]\w+|connections|customers|credentials|events|applications)\)/g;
const VERBS: Readonly<Record<string, string>> = {
  from: 'from',
  update: 'update',
  insert: 'insert into',
  delete: 'delete from',
};

function toTable(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

async function useEveryStore(databaseUrl: string): Promise<void> {
  const database = await openDatabase(
    { url: databaseUrl },
    { ...PATIENT_DATABASE, keyRing: TEST_RING },
  );
  try {
    const { id } = await database.admin.createApplication('one');
    await database.admin.renameApplication(id, 'another');
    const stores = database.forApplication(id);
    await useWebhooks(stores.webhooks);
    const { customer } = await stores.customers.upsert({ ...ADA, connections: [HUBSPOT] });
    await stores.customers.list({}, PAGE);
    await stores.events.list({ customerId: 'ada', after: undefined, limit: 10 });
    await useLinks(database, stores);
    const [connection] = customer.connections;
    if (!connection) throw new Error('There is no connection.');
    await stores.customFields.noteProblems(connection, [MISSING]);
    const problems = await stores.customFields.listProblems(connection.id);
    await stores.customFields.endProblems(connection.id, problems);
    await database.syncQueue.readDue({
      applicationId: id,
      connectionId: connection.id,
      lease: connection.id,
      leaseMs: 1_000,
    });
    await stores.removals.removeConnection('ada', 'hubspot');
    await stores.removals.removeCustomer('ada', undefined);
  } finally {
    await database.close();
  }
}

async function useWebhooks(webhooks: ApplicationStores['webhooks']): Promise<void> {
  const made = await webhooks.create({ url: 'https://app.example/hooks', eventTypes: [] });
  if (!made) throw new Error('There is no room for another endpoint.');
  const { id } = made.endpoint;
  await webhooks.list();
  await webhooks.update(id, { enabled: true });
  await webhooks.rotateSecret(id);
  await webhooks.redeliver(id, { eventIds: [] });
  await webhooks.sendTest(id);
  await webhooks.remove(id);
}

async function useLinks(
  { connectFlows, sweeps }: Database,
  { connectLinks }: ApplicationStores,
): Promise<void> {
  const create = async (more: Partial<NewConnectLink> = {}) => {
    const link = await connectLinks.create({ ...LINK, ...more });
    if (!link) throw new Error('There is no such customer.');
    return link.id;
  };
  const code = { codeHash: digest('code') };
  const session = { sessionHash: digest('session') };
  const confirmed = await create();
  const stateHash = digest('state');
  const requested = { readableRecords: ['CONTACT'], writableRecords: [] } as const;
  const granted = {
    providerName: 'hubspot',
    grant: GRANT,
    requested,
    oauthClientId: 'client',
  } as const;
  await connectFlows.findLink(confirmed);
  await connectFlows.start({ ...FLOW, linkId: confirmed, stateHash });
  await connectFlows.findByState(stateHash);
  await connectFlows.findByCookies('hubspot', [FLOW.cookieHash]);
  await connectFlows.take(stateHash);
  await connectFlows.finish(confirmed, { ...granted, ...code, ...session });
  await connectFlows.findGrant(confirmed);
  const choices = [{ record: 'CONTACT', field: 'color', source: 'x' } as const];
  await connectFlows.matchFields(confirmed, { ...session, ...code, choices });
  await connectLinks.confirm(confirmed, code.codeHash);
  const direct = await create({ confirm: false, allowAccountChange: true });
  await connectFlows.finish(direct, { ...granted, codeHash: undefined, ...session });
  await connectFlows.fail(await create(), { failure: 'ACCESS_DENIED', providerName: 'hubspot' });
  await connectLinks.cancel(await create());
  for await (const _ of sweeps.connectLinks());
}

const ADA = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
const HUBSPOT = {
  providerName: 'hubspot',
  credentials: { type: 'token', value: 'secret' },
} as const;
const MISSING = { record: 'CONTACT', field: 'color', source: 'x', problem: 'MISSING' } as const;
const LINK: NewConnectLink = {
  customerId: 'ada',
  providers: ['hubspot', 'salesforce'],
  returnUrl: 'https://app.example/connected',
  mode: 'REDIRECT',
  confirm: true,
  loginUrl: null,
  optionalScopes: [],
  allowAccountChange: false,
  expiresAt: new Date(Date.now() + 15 * 60_000),
};
const GRANT: Grant = {
  accessToken: 'access',
  refreshToken: 'refresh',
  expiresAt: null,
  instanceUrl: null,
  scopes: ['oauth'],
  account: { id: '42', name: 'Acme', url: 'https://app.hubspot.com/contacts/42', userId: '7' },
};
const FLOW: Omit<NewConnectFlow, 'linkId' | 'stateHash'> = {
  codeVerifier: 'verifier',
  providerName: 'hubspot',
  cookieHash: digest('cookie'),
  loginOrigin: 'https://login.example',
  oauthClientId: 'client',
};
const PAGE = { direction: 'forward', size: 10, boundary: undefined } as const;
