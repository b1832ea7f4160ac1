import '../support/process-sources.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_APPLICATION } from '../../src/domain/caller.ts';
import { CONFIGURATION_FIELDS } from '../../src/domain/connection.ts';
import type { CustomerUpsert } from '../../src/domain/customer.ts';
import { PROVIDER_NAMES } from '../../src/domain/provider-names.ts';
import { createDatabase } from '../../src/storage/database.ts';
import { openEngine } from '../../src/storage/engine/open.ts';
import { createTestDatabase, TEST_RING, type TestDatabase } from '../support/databases.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { startBystander } from './target/bystander.ts';
import { type Caller, openTarget, type Target } from './target/open-target.ts';
import { type HttpRequest, type Received, send, toGraphQL } from './target/send.ts';

/**
 * What a caller makes a process of 384 MB read from its own database: cached pages of a thousand contacts, and a
 * hundred customers with fifteen connections of 64 KiB each.
 */
const CUSTOMERS = Array.from({ length: 100 }, (_, index) => `large-${index}`);
const CONNECTIONS = PROVIDER_NAMES.slice(0, 15);
const CONFIGURATION_BYTES = 63 * 1024;

let database: TestDatabase;
let target: Target;
let bystander: ReturnType<typeof startBystander>;

beforeAll(async () => {
  database = await createTestDatabase();
  target = await openTarget({
    DATABASE_URL: database.url,
    CROSSBOOK_REQUESTS_PER_MINUTE: '1000000',
    CROSSBOOK_TOKEN_REQUESTS_PER_MINUTE: '1000000',
  });
  await storeCustomers();
  for (const size of PAGE_SIZES) {
    const query = `{ ${search({ size, cached: false })} { totalCount nodes { ${FIELDS} } } }`;
    const { text } = await send(target.url, toGraphQL({ query }, target.callers.key));
    expect(text).not.toContain('errors');
  }
  bystander = startBystander(target);
});
afterAll(async () => {
  const { served, failures } = await bystander.stop();
  expect(failures).toEqual([]);
  expect(served).toBeGreaterThan(0);
  expect(await target.close()).toBe(0);
  await database.drop();
});

const FIELDS = `accountId createdAt firstName lastName lastModifiedAt lifecycleStage ownerId
  addresses { street1 city country } emailAddresses { emailAddress } phoneNumbers { phoneNumber }`;
const PAGE_SIZES = [1_000, 999, 998, 997, 500];
const CONFIGURATIONS =
  'connections { schemaMappingsConfig { commonObjects { object fieldMappings { mappedField } } } }';

const ATTACKS: readonly Attack[] = [
  {
    title: 'a batch of five operations, each with 190 aliases of one cached page',
    requests: 1,
    toRequest: (caller) =>
      toGraphQL(
        repeat(5, () => toOperation(190, () => 1_000)),
        caller,
      ),
  },
  {
    title: 'eight requests with 190 aliases of one cached page',
    requests: 8,
    toRequest: (caller) =>
      toGraphQL(
        toOperation(190, () => 1_000),
        caller,
      ),
  },
  {
    title: 'eight requests with aliases of several cached pages',
    requests: 8,
    toRequest: (caller) =>
      toGraphQL(
        toOperation(100, (index) => PAGE_SIZES[index % PAGE_SIZES.length] ?? 0),
        caller,
      ),
  },
  {
    title: 'REST searches of cached pages',
    requests: 50,
    toRequest: (caller) => ({
      path: '/contacts/_search?read_from_cache=true&page_size=1000',
      headers: { ...caller, 'content-type': 'application/json' },
      body: JSON.stringify({ filter: { email_domain: 'example.com' } }),
    }),
  },
  ...[100, 1_000].map((size) => ({
    title: `lists of ${size} customers over REST`,
    requests: 10,
    callers: ['key'] as const,
    toRequest: (caller: Headers) => ({
      method: 'GET',
      path: `/customers?page_size=${size}`,
      headers: caller,
    }),
  })),
  ...['customerId', CONFIGURATIONS].map((selection) => ({
    title: `lists of customers with { ${selection} }`,
    requests: 10,
    callers: ['key'] as const,
    toRequest: (caller: Headers) =>
      toGraphQL({ query: `{ customers(first: 250) { nodes { ${selection} } } }` }, caller),
  })),
  {
    title: 'customers by their ids, with configurations',
    requests: 10,
    callers: ['key'],
    toRequest: (caller) =>
      toGraphQL(
        {
          query: `query ($of: [_Any!]!) { _entities(representations: $of) { ... on Customer { ${CONFIGURATIONS} } } }`,
          variables: {
            of: CUSTOMERS.map((customerId) => ({ __typename: 'Customer', customerId })),
          },
        },
        caller,
      ),
  },
  {
    title: 'single customers over REST',
    requests: 100,
    callers: ['key'],
    toRequest: (caller, index) => ({
      method: 'GET',
      path: `/customers/${CUSTOMERS[index % CUSTOMERS.length]}`,
      headers: caller,
    }),
  },
  {
    title: 'upserts that name no connection of large customers',
    requests: 100,
    callers: ['key'],
    toRequest: (caller, index) => ({
      method: 'PUT',
      path: '/customers',
      headers: { ...caller, 'content-type': 'application/json' },
      body: JSON.stringify({
        customer_id: CUSTOMERS[index % CUSTOMERS.length],
        name: 'Large',
        email: 'large@example.com',
      }),
    }),
  },
  {
    title: 'searches through connections with large configurations',
    requests: 8,
    callers: ['key'],
    toRequest: (caller) =>
      toGraphQL(
        {
          query: `{ ${CUSTOMERS.map(
            (id, index) =>
              `a${index}: searchContacts(filter: { email: "a@b.example" }, customerId: "${id}", provider: HUBSPOT) { totalCount }`,
          ).join(' ')} }`,
        },
        caller,
      ),
  },
];

describe.each(ATTACKS)('$title', ({ requests, callers = ['token', 'key'], toRequest }) => {
  test.each(callers)(
    'with a %s: the process answers each request, and other applications are served',
    async (caller) => {
      const headers = target.callers[caller];
      const sent = repeat(requests, (index) => send(target.url, toRequest(headers, index)));
      const received = await Promise.all([...sent, send(target.url, LIVENESS)]);
      expect(
        received.filter((one) => !isExpected(one)).map(({ text }) => text.slice(0, 500)),
      ).toEqual([]);
      expect(target.isAlive()).toBe(true);
      await expect.poll(countHeavy).toBe(0);
    },
  );
});

/** A result, or an error that says what to do: try again, or ask for less. */
function isExpected({ status, text }: Received): boolean {
  return (
    status === 200 ||
    status === 294 ||
    (status === 503 && text.includes('retry_after_ms')) ||
    status === 400
  );
}

async function countHeavy(): Promise<number | undefined> {
  const { text } = await send(target.url, { method: 'GET', path: '/metrics' });
  return readMetrics(text)('crossbook_heavy_requests')['state="running"'];
}

const LIVENESS: HttpRequest = { method: 'GET', path: '/livez' };

/** Selects only the count, which costs the least. */
function toOperation(aliases: number, sizeOf: (index: number) => number) {
  const fields = repeat(
    aliases,
    (index) => `a${index}: ${search({ size: sizeOf(index), cached: true })} { totalCount }`,
  );
  return { query: `{ ${fields.join(' ')} }` };
}

function search({ size, cached }: { readonly size: number; readonly cached: boolean }): string {
  return `searchContacts(filter: { emailDomain: "example.com" }, first: ${size}, readFromCache: ${cached})`;
}

function repeat<Made>(count: number, make: (index: number) => Made): Made[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** Writes to the database directly, because a hundred megabytes through the API take a minute. */
async function storeCustomers(): Promise<void> {
  const engine = await openEngine({ url: database.url }, PATIENT_DATABASE);
  const { customers } = createDatabase(engine, { keyRing: TEST_RING }).forApplication(
    DEMO_APPLICATION.id,
  );
  for (const customerId of CUSTOMERS) await customers.upsert(toLargeCustomer(customerId));
  await engine.close();
}

function toLargeCustomer(customerId: string): CustomerUpsert {
  const mappedField = 'x'.repeat(CONFIGURATION_BYTES);
  const mappings = { object: 'contact', fieldMappings: [{ schemaField: 'a', mappedField }] };
  const configurations = Object.fromEntries(CONFIGURATION_FIELDS.map((name) => [name, null]));
  const connections = CONNECTIONS.map((providerName) => ({
    ...configurations,
    providerName,
    schemaMappingsConfig: { commonObjects: [mappings], standardObjects: null },
  }));
  return { customerId, name: 'Large', email: 'large@example.com', connections };
}

type Headers = Target['callers'][Caller];

interface Attack {
  readonly title: string;
  /** At once. */
  readonly requests: number;
  /** Absent: a customer token and an API key. */
  readonly callers?: readonly Caller[];
  toRequest(headers: Headers, index: number): HttpRequest;
}
