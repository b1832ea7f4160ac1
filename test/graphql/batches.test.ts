import { expect, onTestFinished, test } from 'vitest';
import { memoryLimitReached } from '../../src/admission/memory.ts';
import { UNMETERED_WORK } from '../../src/admission/work.ts';
import { type TimedTask, taskChannel } from '../../src/lib/task-time.ts';
import { RESPONSE_BOUNDS } from '../../src/request/allowance.ts';
import { createFakePeople } from '../support/fake-people.ts';
import { createTestServer, DEMO } from './test-server.ts';

test('the operations of a batch share one response limit', async () => {
  const people = createFakePeople(100).map((person) => ({
    ...person,
    rawData: { notes: 'x'.repeat(10_000) },
  }));
  const caller = { ...RESPONSE_BOUNDS.caller, bytes: 2_500_000 };
  const { post } = await createTestServer({
    people,
    responseBounds: { ...RESPONSE_BOUNDS, caller },
  });
  const query = '{ searchContacts(filter: { emailDomain: "example.com" }) { nodes { rawData } } }';
  expect((await post({ query }, DEMO)).status).toBe(200);
  const refused = await post(Array(3).fill({ query }), DEMO);
  expect(refused.status).toBe(400);
  const error = { message: expect.stringContaining('more than 2500000 bytes') };
  expect(await refused.json()).toMatchObject(Array(3).fill({ errors: [error] }));
});

test.each([
  ['values', { values: 100 }],
  ['bytes', { bytes: 100_000 }],
])(
  'when the limit of %s is exceeded, the other running operations of the batch stop with the same error',
  async (said, bound) => {
    const people = createFakePeople(50).map((person) => ({
      ...person,
      rawData: { notes: 'x'.repeat(10_000) },
    }));
    const caller = { ...RESPONSE_BOUNDS.caller, ...bound };
    const { post, tenant } = await createTestServer({
      people,
      responseBounds: { ...RESPONSE_BOUNDS, caller },
    });
    const { upsert } = tenant.customers;
    // The search runs in memory, in fewer iterations of the event loop than fifty upserts.
    tenant.customers.upsert = (given) => new Promise(setImmediate).then(() => upsert(given));
    const upserts = Array.from(
      { length: 50 },
      (_, index) =>
        `u${index}: upsertCustomer(input: { customerId: "c${index}", name: "C", email: "c@example.com" }) { created }`,
    );
    const response = await post(
      [
        {
          query:
            '{ searchContacts(filter: { emailDomain: "example.com" }) { nodes { id rawData } } }',
        },
        { query: `mutation { ${upserts.join(' ')} }` },
      ],
      DEMO,
    );
    expect(response.status).toBe(400);
    const answers = (await response.json()) as { errors: object[] }[];
    const [
      {
        errors: [error],
      } = { errors: [] },
    ] = answers;
    expect(error).toMatchObject({
      message: expect.stringContaining(`more than ${Object.values(bound)} ${said}`),
    });
    expect(answers).toEqual([{ errors: [error] }, { errors: [error] }]);
    // With the demo customer.
    expect(tenant.table.size).toBeLessThan(1 + 50);
  },
);

test('aliases, fields, directives and tokens of a batch are counted together', async () => {
  const { post } = await createTestServer();
  for (const [query, said] of [
    [`{ ${aliases(150, '__typename')} }`, /number of aliases/],
    [`{ ${'__typename @skip(if: false) '.repeat(80)} }`, /number of directives/],
    [
      `{ _entities(representations: [{ __typename: "Customer", customerId: "demo", x: [${'1 '.repeat(8_000)}] }]) { __typename } }`,
      /more than 60000 tokens/,
    ],
  ] as const) {
    const answers = (await (await post(Array(10).fill({ query }), DEMO)).json()) as {
      errors?: { message: string }[];
    }[];
    expect(answers[0]?.errors).toBeUndefined();
    expect(answers.at(-1)?.errors?.[0]?.message).toMatch(said);
  }
});

test('minimum response sizes of a batch are added up before each operation is executed', async () => {
  const caller = { ...RESPONSE_BOUNDS.caller, bytes: 10_000 };
  const { post } = await createTestServer({ responseBounds: { ...RESPONSE_BOUNDS, caller } });
  const query = `{ ${aliases(100, '__typename')} }`;
  const answers = (await (await post(Array(10).fill({ query }), DEMO)).json()) as {
    errors?: object[];
  }[];
  expect(answers[0]?.errors).toBeUndefined();
  expect(answers.at(-1)?.errors).toMatchObject([
    { message: expect.stringContaining('the size of its response in bytes is at least') },
  ]);
});

test('of the documents of a batch, one begins in each turn', async () => {
  const { post, setWork } = await createTestServer();
  const told: string[] = [];
  const onTask = (task: unknown) => {
    if ((task as TimedTask).kind === 'document') told.push('document');
  };
  taskChannel.subscribe(onTask);
  onTestFinished(() => void taskChannel.unsubscribe(onTask));
  // There is time left, so the turn is given at once.
  const takeTurn = () => void told.push('turn');
  setWork({ ...UNMETERED_WORK, takeTurn: takeTurn as () => undefined });
  const batch = ['a', 'b', 'c'].map((alias) => ({ query: `{ ${alias}: __typename }` }));
  expect((await post(batch, DEMO)).status).toBe(200);
  // The second document asks for its turn when the first one has been parsed.
  expect(told.slice(0, 2)).toEqual(['turn', 'document']);
});

test('a request is charged for each long document that it uses, cached or not', async () => {
  const { post, setWork } = await createTestServer();
  const used: [object, number][] = [];
  setWork({ ...UNMETERED_WORK, use: (...use) => void used.push(use) });
  const long = { query: `{ ${aliases(60, '__typename')} }` };
  await post([long, { query: '{ __typename }' }], DEMO);
  await post(long, DEMO);
  const [first, second] = used;
  expect(used).toHaveLength(2);
  // A cached document is the same one, which is charged once while several requests use it.
  expect(second?.[0]).toBe(first?.[0]);
  expect(first?.[1]).toBeGreaterThan(180 * 100);
});

test('a request whose documents have no room is refused', async () => {
  const { execute, setWork } = await createTestServer();
  setWork({
    ...UNMETERED_WORK,
    use() {
      throw memoryLimitReached();
    },
  });
  const { errors } = await execute(`{ ${aliases(60, '__typename')} }`);
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: '503' });
  expect((await execute('{ __typename }')).data).toEqual({ __typename: 'Query' });
});

function aliases(count: number, field: string): string {
  return Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');
}
