import { expect, test } from 'vitest';
import { BACKGROUND_WORK } from '../../src/admission/work.ts';
import { LocalRefusal } from '../../src/domain/errors.ts';
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

test('a request with long documents that are not cached needs a heavy place', async () => {
  const { post, setWork } = await createTestServer();
  let heavy = 0;
  setWork({
    ...BACKGROUND_WORK,
    beHeavy() {
      heavy += 1;
      return undefined;
    },
  });
  const long = { query: `{ ${aliases(200, '__typename')} }` };
  await post({ query: '{ __typename }' }, DEMO);
  expect(heavy).toBe(0);
  await post([{ query: '{ __typename }' }, long], DEMO);
  expect(heavy).toBe(1);
  await post(long, DEMO);
  expect(heavy).toBe(1);
});

test('a request that gets no heavy place is refused', async () => {
  const { execute, setWork } = await createTestServer();
  setWork({
    ...BACKGROUND_WORK,
    beHeavy() {
      throw new LocalRefusal('SERVICE_UNAVAILABLE', 'Too many large requests: try again.');
    },
  });
  const { errors } = await execute(`{ ${aliases(200, '__typename')} }`);
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'SERVICE_UNAVAILABLE', status: '503' });
  expect((await execute('{ __typename }')).data).toEqual({ __typename: 'Query' });
});

function aliases(count: number, field: string): string {
  return Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');
}
