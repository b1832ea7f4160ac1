import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { type Connected, connectAccount, connectCustomer } from '../support/connect-account.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { openApp, type TestApp } from '../support/open-app.ts';

const HIDDEN = ['Fax', 'HomePhone', 'OtherPhone', 'AssistantPhone', 'MobilePhone', 'OtherAddress'];
const EIGHT_HIDDEN = [...HIDDEN, 'LastActivityDate', 'AccountId'];
const PEOPLE = [
  { email: 'ada@here.example', firstName: 'Ada', phone: '1', fax: '2', companyIndex: 1 },
];
const SEEN = {
  first_name: 'Ada',
  phone_numbers: [{ phone_number: '1', phone_number_type: 'primary' }],
};
const BY_EMAIL = { filter: { email: 'ada@here.example' } };
const BY_DOMAIN = { filter: { email_domain: 'here.example' } };
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe('Salesforce fields that are hidden from the connected user', () => {
  let database: TestDatabase;
  const replicas: TestApp[] = [];
  let passed = 0;
  const clock = {
    ...systemClock,
    now: () => systemClock.now() + passed,
    wall: () => systemClock.wall() + passed,
  };
  let served = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    const first = await openApp({ database: { url: database.url } }, { clock });
    replicas.push(
      first,
      await openApp({ database: { url: database.url } }, { clock, sandbox: first.sandbox }),
    );
  });
  afterAll(async () => {
    for (const { close } of replicas.toReversed()) await close();
    await database.drop();
  });

  const connect = async (hiddenFields: readonly string[]) => {
    const [first] = replicas as [TestApp];
    const customerId = `hidden-${++served}`;
    const connected = await connectAccount(first, {
      provider: 'salesforce',
      people: PEOPLE,
      customerId,
    });
    connected.account.setQuirks({ hiddenFields } as never);
    return connected;
  };
  const search = async ({ headers }: Connected, replica: number, body: object = BY_EMAIL) => {
    const answer = await replicas[replica % replicas.length]?.rest(
      'POST',
      '/contacts/_search',
      body,
      headers,
    );
    return answer?.body.records;
  };

  test('cost one extra call in a thousand searches by two replicas', async () => {
    const count = async (times: number, hiddenFields: readonly string[], seen: object) => {
      const connected = await connect(hiddenFields);
      for (let index = 0; index < times; index += 1) {
        // Both replicas search both by email and by domain.
        const records = await search(connected, index >> 1, index % 2 === 0 ? BY_EMAIL : BY_DOMAIN);
        expect(records).toMatchObject([seen]);
      }
      return connected.account.callCount();
    };
    const ofHundred = await count(100, [], { first_name: 'Ada' });
    const ofThousand = await count(1_000, EIGHT_HIDDEN, SEEN);
    expect(ofThousand - 10 * ofHundred).toBeLessThanOrEqual(1);
  });

  test('are detected once when they become hidden while replicas are running', async () => {
    const connected = await connect([]);
    await search(connected, 0);
    await search(connected, 1);
    connected.account.setQuirks({ hiddenFields: EIGHT_HIDDEN } as never);
    connected.account.resetCalls();
    for (let index = 0; index < 10; index += 1)
      expect(await search(connected, index)).toMatchObject([SEEN]);
    // Each replica's query is rejected once; the first describes the fields, the other finds the stored
    // description.
    expect(connected.account.callCount('composite')).toBe(1);
    expect(connected.account.callCount()).toBe(12);
  });

  test('are detected once by concurrent searches', async () => {
    const connected = await connect(EIGHT_HIDDEN);
    const bodies = [BY_EMAIL, BY_DOMAIN, BY_EMAIL, BY_DOMAIN, BY_EMAIL, BY_DOMAIN];
    const found = await Promise.all(bodies.map((body) => search(connected, 0, body)));
    for (const records of found) expect(records).toMatchObject([SEEN]);
    expect(connected.account.callCount('composite')).toBe(1);
  });

  test('are returned again at most a day after they became visible', async () => {
    const connected = await connect(['Fax']);
    const count = async () => (await search(connected, 0))[0].phone_numbers.length;
    expect(await count()).toBe(1);
    connected.account.setQuirks({ hiddenFields: [] } as never);
    passed += DAY_MS / 2;
    expect(await count()).toBe(1);
    passed += DAY_MS / 2 + MINUTE_MS;
    expect(await count()).toBe(2);
  });

  test('are returned again after the customer reconnects, on every replica within a minute', async () => {
    const connected = await connect(['Fax']);
    const { account, headers } = connected;
    const count = async (replica: number) =>
      (await search(connected, replica))[0].phone_numbers.length;
    expect([await count(0), await count(1)]).toEqual([1, 1]);
    account.setQuirks({ hiddenFields: [] } as never);
    const [first] = replicas as [TestApp];
    const customerId = headers['x-customer-id'] ?? '';
    await connectCustomer(first, { provider: 'salesforce', account, customerId });
    expect(await count(0)).toBe(2);
    passed += MINUTE_MS;
    expect(await count(1)).toBe(2);
  });
});
