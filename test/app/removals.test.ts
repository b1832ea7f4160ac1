import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';

const EMAIL = 'doomed@example.com';
const PEOPLE = [{ email: EMAIL, firstName: 'Doomed' }];
const SEARCH = `query ($id: ID!, $cached: Boolean) { searchContacts(filter: { email: "${EMAIL}" }, customerId: $id,
  provider: HUBSPOT, readFromCache: $cached) { nodes { firstName } } }`;
const CUSTOMER = 'query ($id: ID!) { customer(customerId: $id) { name connections { id } } }';

let fresh: TestDatabase;
const replicas: TestApp[] = [];

beforeAll(async () => {
  fresh = await createTestDatabase();
  const first = await openApp({ database: { url: fresh.url } });
  replicas.push(first, await openApp({ database: { url: fresh.url } }, { sandbox: first.sandbox }));
});
afterAll(async () => {
  for (const replica of replicas.toReversed()) await replica.close();
  await fresh.drop();
});

test('once the deletion of a customer is confirmed, no replica returns its data, not even to requests in flight', async () => {
  const { account, first, second } = await connect('acme');
  const load = startLoad('acme');
  await expect.poll(() => load.answered(first) > 20 && load.answered(second) > 20).toBe(true);
  // In flight for longer than any cache entry lives: until the deletion, which waits for that, is confirmed.
  const before = account.calls().length;
  account.fail({ kind: 'slow', delayMs: 3_600_000 }, { times: 1_000 });
  const listHeld = () =>
    account
      .calls()
      .slice(before)
      .filter(({ status }) => status === 0);
  // Searches of one email share a call: each replica has one in flight in the end.
  await expect.poll(() => listHeld().length).toBeGreaterThanOrEqual(2);

  const { data, errors } = await first.execute(
    'mutation { deleteCustomer(input: { customerId: "acme" }) { deletedCustomerId } }',
  );
  const deletedAt = systemClock.now();
  account.clearFaults();
  expect([errors, data.deleteCustomer.deletedCustomerId]).toEqual([undefined, expect.any(String)]);
  await expect.poll(() => load.count({ since: deletedAt })).toBeGreaterThan(50);
  const answers = await load.stop();
  const late = answers.filter(({ at }) => at > deletedAt);
  for (const replica of replicas) {
    const ofOne = late.filter((answer) => answer.replica === replica);
    expect(ofOne.length).toBeGreaterThan(10);
    expect(ofOne.filter(({ tells }) => tells)).toEqual([]);
  }
  // Requests that were in flight for long have ended with an error and not with a contact.
  expect(late.some(({ startedAt }) => startedAt < deletedAt - 2_000)).toBe(true);
});

test('once a provider is disconnected, no replica returns its data, and the customer remains', async () => {
  const { first, second } = await connect('beta');
  const load = startLoad('beta');
  await expect.poll(() => load.answered(first) > 20 && load.answered(second) > 20).toBe(true);
  const { body } = await first.rest('DELETE', '/customers/beta/connections/hubspot');
  const disconnectedAt = systemClock.now();
  expect(body).toEqual({ revocation: 'not_supported' });
  await expect.poll(() => load.count({ since: disconnectedAt })).toBeGreaterThan(100);
  const answers = (await load.stop()).filter(({ at }) => at > disconnectedAt);
  expect(answers.filter(({ tells, kind }) => tells && kind !== 'customer')).toEqual([]);
  expect(answers.filter(({ tells, kind }) => tells && kind === 'customer').length).toBeGreaterThan(
    5,
  );
});

async function connect(customerId: string) {
  const [first, second] = replicas;
  if (!first || !second) throw new Error('There are no replicas.');
  const { hubspot } = first.sandbox;
  const account = hubspot.createAccount({ people: PEOPLE, limits: null });
  const credentials = { type: 'token', value: account.accessToken };
  await first.rest('PUT', '/customers', {
    customer_id: customerId,
    name: 'Doomed',
    email: EMAIL,
    connections: [{ provider_name: 'hubspot', instance_url: hubspot.origin, credentials }],
  });
  return { account, first, second };
}

/** Sends the same reads to both replicas in all ways, and records each response with its time. */
function startLoad(id: string) {
  const answers: Answer[] = [];
  let isOver = false;
  const ask = async (replica: TestApp, kind: string, run: () => Promise<Json>) => {
    while (!isOver) {
      const startedAt = systemClock.now();
      const answer = await run();
      const at = systemClock.now();
      answers.push({
        replica,
        kind,
        startedAt,
        at,
        tells: JSON.stringify(answer).includes('Doomed'),
      });
    }
  };
  const loops = replicas.flatMap((replica) => [
    ...[1, 2].map(() => ask(replica, 'search', () => replica.execute(SEARCH, { id }))),
    ask(replica, 'cache', () => replica.execute(SEARCH, { id, cached: true })),
    ask(replica, 'rest', async () => {
      const body = { filter: { email: EMAIL } };
      const headers = { 'x-customer-id': id, 'x-provider-name': 'hubspot' };
      return (await replica.rest('POST', '/contacts/_search', body, headers)).body;
    }),
    ask(replica, 'customer', () => replica.execute(CUSTOMER, { id })),
  ]);
  return {
    count: ({ since }: { readonly since: number }) => answers.filter(({ at }) => at > since).length,
    /** How many searches of this replica have found the contact. */
    answered: (replica: TestApp) =>
      answers.filter(
        (answer) => answer.replica === replica && answer.tells && answer.kind !== 'customer',
      ).length,
    async stop() {
      isOver = true;
      await Promise.all(loops);
      return answers;
    },
  };
}

interface Answer {
  readonly replica: TestApp;
  readonly kind: string;
  readonly startedAt: number;
  readonly at: number;
  /** Whether the response contains data of the customer. */
  readonly tells: boolean;
}
