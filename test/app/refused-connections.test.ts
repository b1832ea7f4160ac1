import { randomUUID } from 'node:crypto';
import type { FaultTiming, HubSpotAccount, SalesforceAccount } from '@crossbook/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { openApp, type TestApp } from '../support/open-app.ts';

const PERSON = { email: 'ada@here.example', firstName: 'Confidential' };
const OTHER_PERSON = { email: 'ada@here.example', firstName: 'Unrelated' };

let database: TestDatabase;
/** Serves cached contacts as fresh. */
let first: TestApp;
/** Another process on the same database, to which each cached contact is stale. */
let second: TestApp;

beforeAll(async () => {
  database = await createTestDatabase();
  const config = { database: { url: database.url } };
  const random = () => 0;
  first = await openApp(config, { random });
  second = await openApp({ ...config, cacheMaxAgeMs: -1 }, { sandbox: first.sandbox, random });
});
afterAll(async () => {
  await second.close();
  await first.close();
  await database.drop();
});

/** Served from the cache after each kind of failure: while the provider is unavailable, also what is stale. */
const SERVED = {
  outage: { fresh: true, stale: true },
  temporary: { fresh: true, stale: false },
  refusal: { fresh: false, stale: false },
};

const FAILURES: readonly Failure[] = [
  ...(['server-error', 'unavailable'] as const).map((fault) => failure('hubspot', 'outage', fault)),
  ...(['unavailable', 'total-requests', 'query-timeout'] as const).map((fault) =>
    failure('salesforce', 'outage', fault),
  ),
  ...(['missing-scopes', 'missing-scopes-in-context'] as const).map((fault) =>
    failure('hubspot', 'refusal', fault),
  ),
  ...(['api-disabled', 'insufficient-access', 'app-not-attached'] as const).map((fault) =>
    failure('salesforce', 'refusal', fault),
  ),
  refreshFailure('hubspot', 'refusal', 'refresh-refused'),
  refreshFailure('salesforce', 'refusal', 'refresh-refused'),
  refreshFailure('salesforce', 'temporary', 'ip-restricted'),
  refreshFailure('salesforce', 'temporary', 'login-hours'),
  failure('hubspot', 'temporary', 'wrong-shape'),
];

describe.each(FAILURES)('after $title', ({ provider, kind, arrange }) => {
  const { fresh, stale } = SERVED[kind];
  test(`cached contacts are ${fresh ? '' : 'not '}served while fresh and ${stale ? '' : 'not '}when stale, in any process`, async () => {
    const { account, customerId } = await connect(provider);
    const target = { customerId, provider };
    expect(await tells(first, target)).toBe(true);
    // The first process writes the entry when it is asked for; then the other one finds it too.
    expect(await tells(first, { ...target, cached: true })).toBe(true);
    arrange(account);
    expect(await tells(first, target)).toBe(false);
    expect(await tells(first, { ...target, cached: true })).toBe(fresh);
    expect(await tells(second, { ...target, cached: true })).toBe(stale);
    // A failure that does not last deletes nothing.
    expect(await tells(first, { ...target, cached: true })).toBe(fresh);
  });
});

test('a refusal of the associations alone does not affect cached contacts', async () => {
  const { account, customerId } = await connect('hubspot');
  const target = { customerId, provider: 'hubspot' } as const;
  expect(await tells(first, target)).toBe(true);
  account.fail('missing-scopes', { operation: 'associations.batchRead', times: 99 });
  const answer = await first.execute(
    `{ searchContacts(filter: { email: "${PERSON.email}" }, customerId: "${customerId}", provider: HUBSPOT) {
      nodes { firstName associations(to: [COMPANY]) { remoteId } } } }`,
  );
  expect(answer.errors?.[0]?.extensions.code).toBe('REMOTE_PROVIDER_FORBIDDEN');
  expect(await tells(first, { ...target, cached: true })).toBe(true);
});

test('contacts are cached again once the provider allows to read them', async () => {
  const { account, customerId } = await connect('hubspot');
  const target = { customerId, provider: 'hubspot' } as const;
  account.fail('missing-scopes', { times: 1 });
  expect(await tells(first, target)).toBe(false);
  expect(await tells(first, target)).toBe(true);
  account.fail('unavailable', { times: 99 });
  expect(await tells(first, { ...target, cached: true })).toBe(true);
});

describe.each([
  ['cleared', () => null],
  ['replaced', () => credentialsOf(createAccount('hubspot', OTHER_PERSON))],
])('when credentials are %s', (_title, toCredentials) => {
  test('searches that wait for the provider are not answered with what the previous ones read', async () => {
    const { account, customerId } = await connect('hubspot');
    const target = { customerId, provider: 'hubspot' } as const;
    for (const app of [first, second]) expect(await tells(app, target)).toBe(true);
    // Longer than another process may use a connection without reading it again.
    account.fail({ kind: 'slow', delayMs: 3_000 }, { times: 6 });
    const before = account.callCount();
    const waiting = [first, second].flatMap((app) => [
      tells(app, target),
      tells(app, { ...target, isRest: true }),
      tells(app, { ...target, cached: app === second }),
    ]);
    await expect.poll(() => account.callCount()).toBeGreaterThanOrEqual(before + 2);
    await upsert(customerId, 'hubspot', toCredentials());
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => false));
    account.clearFaults();
    for (const cached of [false, true])
      expect(await tells(first, { ...target, cached })).toBe(false);
  });
});

test('searches that wait while the same credentials are given again are answered with what they read', async () => {
  const { account, customerId } = await connect('hubspot');
  const target = { customerId, provider: 'hubspot' } as const;
  for (const app of [first, second]) expect(await tells(app, target)).toBe(true);
  account.fail({ kind: 'slow', delayMs: 3_000 }, { times: 2 });
  const before = account.callCount();
  const waiting = [first, second].map((app) => tells(app, target));
  await expect.poll(() => account.callCount()).toBeGreaterThanOrEqual(before + 2);
  await upsert(customerId, 'hubspot', credentialsOf(account));
  expect(await Promise.all(waiting)).toEqual([true, true]);
});

/** Whether the response contains the person. */
async function tells(
  app: TestApp,
  { customerId, provider, cached = false, isRest = false }: Target,
): Promise<boolean> {
  const headers = { 'x-customer-id': customerId, 'x-provider-name': provider };
  const query = `{ searchContacts(filter: { email: "${PERSON.email}" }, readFromCache: ${cached}) { nodes { firstName } } }`;
  const answer = isRest
    ? (
        await app.rest(
          'POST',
          `/contacts/_search?read_from_cache=${cached}`,
          { filter: { email: PERSON.email } },
          headers,
        )
      ).body
    : await app.execute(query, {}, headers);
  return JSON.stringify(answer).includes(PERSON.firstName);
}

async function connect(provider: ProviderName): Promise<Connected> {
  const account = createAccount(provider, PERSON);
  const customerId = `${provider}-${randomUUID()}`;
  await upsert(customerId, provider, credentialsOf(account));
  return { account, customerId };
}

function createAccount(provider: ProviderName, person: typeof PERSON): Account {
  return first.sandbox[provider].createAccount({ people: [person], limits: null });
}

function credentialsOf({ accessToken, refreshToken }: Account): object {
  return { type: 'oauth2', access_token: accessToken, refresh_token: refreshToken };
}

async function upsert(customerId: string, provider: ProviderName, credentials: object | null) {
  const connection = { provider_name: provider, instance_url: first.sandbox[provider].origin };
  const { status } = await first.rest('PUT', '/customers', {
    customer_id: customerId,
    name: 'Acme',
    email: 'office@acme.example',
    connections: [{ ...connection, credentials }],
  });
  expect(status).toBe(200);
}

function failure(provider: ProviderName, kind: Failure['kind'], fault: string): Failure {
  const arrange = (account: Account) => account.fail(fault, ALWAYS);
  return { title: `${fault} of ${provider}`, provider, kind, arrange };
}

function refreshFailure(provider: ProviderName, kind: Failure['kind'], fault: string): Failure {
  const arrange = (account: Account) => {
    account.expireAccessToken();
    account.fail(fault, { ...ALWAYS, operation: 'oauth.token' });
  };
  return { title: `${fault} of a token refresh at ${provider}`, provider, kind, arrange };
}

const ALWAYS: FaultTiming = { times: 999 };

type ProviderName = 'hubspot' | 'salesforce';
type Account = HubSpotAccount | SalesforceAccount;

interface Connected {
  readonly account: Account;
  readonly customerId: string;
}

interface Target {
  readonly customerId: string;
  readonly provider: ProviderName;
  readonly cached?: boolean;
  readonly isRest?: boolean;
}

interface Failure {
  readonly title: string;
  readonly provider: ProviderName;
  readonly kind: keyof typeof SERVED;
  arrange(account: Account): void;
}
