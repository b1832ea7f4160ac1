import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApp, type TestApp } from '../support/open-app.ts';
import { CREATE, openWritable, outcomesOf } from '../support/write-contacts.ts';

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp({ sandbox: { port: 0, hosts: [], all: true } });
});
afterAll(() => crossbook.close());

const WRITES = 12;
const RECORDS_OF_A_WRITE = 5;
const RECORDS = Array.from({ length: RECORDS_OF_A_WRITE }, (_, index) => ({
  changes: { firstName: `F${index}`, lastName: `L${index}` },
}));
const SEARCH = '{ searchContacts(filter: { email: "found@look.example" }) { nodes { lastName } } }';

describe.each([
  ['hubspot', 'contacts.batchCreate', 'contacts.batchRead'],
  ['salesforce', 'composite.write', 'query'],
  ['pipedrive', 'persons.create', 'persons.search'],
] as const)('While writes to %s do not end,', (provider, write, look) => {
  test('look-ups of the same connection are answered', async () => {
    const { account, headers, run, people } = await openWritable(crossbook, {
      provider,
      people: [{ firstName: 'F', lastName: 'Found', email: 'found@look.example' }],
      customerId: `look-ups ${provider}`,
    });
    const search = async () => {
      const { data, errors } = await crossbook.execute(SEARCH, {}, headers);
      expect(errors).toBeUndefined();
      return data.searchContacts.nodes;
    };
    // The responses wait until the faults are removed.
    account.fail({ kind: 'slow', delayMs: 2 ** 31 - 1 } as never, {
      operation: write,
      times: 10_000,
    });
    let ended = 0;
    const writes = Array.from({ length: WRITES }, async () => {
      const done = await run(CREATE, { records: RECORDS });
      ended += 1;
      return done;
    });
    const inFlight = () => account.calls().filter(({ operation }) => operation === write).length;
    await expect.poll(inFlight).toBeGreaterThan(0);
    const before = account.calls().filter(({ operation }) => operation === look).length;
    for (let count = 0; count < 20; count += 1)
      expect(await search()).toEqual([{ lastName: 'Found' }]);
    expect(account.calls().filter(({ operation }) => operation === look).length).toBe(before + 20);
    expect(ended).toBe(0);
    account.clearFaults();
    const outcomes = (await Promise.all(writes)).flatMap((done) => outcomesOf(done));
    expect(new Set(outcomes)).toEqual(new Set(['CREATED']));
    expect(people()).toHaveLength(1 + WRITES * RECORDS_OF_A_WRITE);
  });
});
