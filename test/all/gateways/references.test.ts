import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { EXTENSIONS } from '../../graphql/test-server.ts';
import { openGateway, type TestGateway } from './open-gateway.ts';

const MAX_COST = 60_000;

let gateway: TestGateway;
let caller: Record<string, string>;

beforeAll(async () => {
  gateway = await openGateway({ notes: 1_000, maxCost: MAX_COST });
  caller = { 'x-api-key': gateway.crossbook.key, 'x-customer-id': 'demo' };
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.crossbook.requests.length = 0;
  gateway.crossbook.sandbox.hubspot.demo.resetCalls();
});

test.each([
  ['id', 'contact { firstName }'],
  ['email', 'author { contacts(first: 1) { firstName } }'],
])(
  '1,000 references by %s are one request to the subgraph, and one CRM call per hundred',
  async (_key, read) => {
    const { data, errors } = await gateway.ask(
      `{ recentNotes(first: 1000) { text ${read} } }`,
      caller,
    );
    expect(errors).toBeUndefined();
    const notes = data?.['recentNotes'] as readonly object[];
    expect(notes).toHaveLength(1_000);
    expect(JSON.stringify(notes).match(/"firstName":/g)).toHaveLength(1_000);
    expect(gateway.crossbook.requests).toHaveLength(1);
    expect(gateway.crossbook.sandbox.hubspot.demo.callCount()).toBe(10);
  },
);

test('references to companies by their id in the CRM are one request to the subgraph, and one CRM call per hundred', async () => {
  const { data, errors } = await gateway.ask(
    '{ recentNotes(first: 200) { company { name noteCount } } }',
    caller,
  );
  expect(errors).toBeUndefined();
  const notes = data?.['recentNotes'] as readonly { company: object }[];
  expect(notes).toHaveLength(200);
  for (const { company } of notes)
    expect(company).toEqual({ name: expect.any(String), noteCount: 10 });
  expect(gateway.crossbook.requests).toHaveLength(1);
  expect(gateway.crossbook.sandbox.hubspot.demo.callCount()).toBe(1);
});

test('an operation that costs too much is rejected by the gateway’s demand control, without a request to the subgraph', async () => {
  const search = (alias: string, first: number) =>
    `${alias}: searchContacts(provider: HUBSPOT, filter: { emailDomain: "bigco.example" }, first: ${first}) { nodes { emailAddresses { emailAddress } } }`;
  const cheap = await gateway.ask(`{ ${search('a', 10)} }`, caller);
  expect(cheap.errors).toBeUndefined();
  gateway.crossbook.requests.length = 0;
  const many = Array.from({ length: 30 }, (_, index) => search(`a${index}`, 1_000));
  const { errors } = await gateway.ask(`{ ${many.join('\n')} }`, caller);
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'COST_ESTIMATED_TOO_EXPENSIVE',
    cost: { max: MAX_COST },
  });
  expect(gateway.crossbook.requests).toEqual([]);
});

test('a failing reference among many has a separate error, with a message and a code', async () => {
  const { data, errors } = await gateway.ask(
    '{ recentNotes(first: 2) { text author { contacts(first: 5000) { firstName } } } customer { name } }',
    caller,
  );
  expect(data?.['customer']).toEqual({ name: 'Demo customer' });
  expect(errors?.[0]).toMatchObject({
    message: 'The page size must be from 0 to 1000, but is 5000.',
    extensions: { code: 'BAD_REQUEST', status: '400' },
  });
  expect(Object.keys(errors?.[0]?.extensions ?? {})).toEqual(expect.arrayContaining(EXTENSIONS));
});

test('a gateway without credentials forwards the error that says what to do, also when it accepts only plain JSON', async () => {
  for (const accept of [
    'application/json',
    'application/graphql-response+json, application/json',
  ]) {
    const { errors } = await gateway.ask('{ customer { name } }', { accept });
    expect(errors?.[0]).toMatchObject({
      message: 'Credentials are missing: send x-api-key or a customer token.',
      extensions: {
        code: 'UNAUTHORIZED',
        status: '401',
        meta: { origin: 'crossbook', retryable: false },
      },
    });
    expect(Object.keys(errors?.[0]?.extensions ?? {})).toEqual(expect.arrayContaining(EXTENSIONS));
  }
});
