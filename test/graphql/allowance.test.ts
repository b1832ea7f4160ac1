import { describe, expect, test } from 'vitest';
import { CrossbookError, type RemoteCause } from '../../src/domain/errors.ts';
import { RESPONSE_BOUNDS } from '../../src/request/allowance.ts';
import { createFakePeople } from '../support/fake-people.ts';
import { createTestServer, DEMO } from './test-server.ts';

test('a page of 1,000 contacts with raw data succeeds, and under many aliases it is a single 400', async () => {
  const people = createFakePeople(1_000).map((person) => ({
    ...person,
    rawData: { id: person.remoteId, properties: { notes: 'x'.repeat(700) } },
  }));
  const { post, requestLog } = await createTestServer({ people });
  const page = (fields: string) => ({
    query: `{ searchContacts(filter: { emailDomain: "example.com" }, first: 1000) { nodes { ${fields} } } }`,
  });
  const whole = await post(page('id firstName rawData'), DEMO);
  expect((await whole.text()).length).toBeGreaterThan(700_000);
  await expectOneRefusal(await post(page(aliases(150, 'rawData')), DEMO), /cost is|16777216 bytes/);
  expect(requestLog.errors.map(({ code }) => code)).toEqual(['BAD_REQUEST']);
});

describe('the size of a response is counted while it is built', () => {
  const LONG = 'x'.repeat(60_000);

  test('for long records under a few aliases, in lists and alone', async () => {
    const people = createFakePeople(300).map((person) => ({ ...person, rawData: { notes: LONG } }));
    const { post } = await createTestServer({ people });
    for (const search of [
      `filter: { emailDomain: "example.com" }, first: 300`,
      `filter: { emails: ${JSON.stringify(people.map((_, index) => `person${index + 1}@example.com`))} }, first: 300`,
    ]) {
      const query = `{ searchContacts(${search}) { nodes { ${aliases(3, 'rawData')} } } }`;
      await expectOneRefusal(await post({ query }, DEMO), /16777216 bytes/);
    }
    const one = `{ searchContacts(filter: { email: "ada@example.com" }) { nodes { ${aliases(900, 'rawData')} } } }`;
    await expectOneRefusal(await post({ query: one }, DEMO), /16777216 bytes/);
  });

  test('for more contacts of one email than were estimated', async () => {
    const people = createFakePeople(2_000).map((person) => ({
      ...person,
      emailAddresses: [{ emailAddress: 'ada@example.com', emailAddressType: 'primary' as const }],
    }));
    const { post } = await createTestServer({ people });
    const searches = Array.from(
      { length: 190 },
      (_, index) =>
        `s${index}: searchContacts(filter: { email: "ada@example.com" }) { nodes { ...All } }`,
    );
    const query = `{ ${searches.join(' ')} } fragment All on Contact { ${FIELDS} }`;
    await expectOneRefusal(await post({ query }, DEMO), /400000 values/);
  });

  test('for stored configuration, and for echoed input', async () => {
    const { post, tenant } = await createTestServer();
    const mappings = Array.from({ length: 3_000 }, (_, index) => ({
      schemaField: `f${index}`,
      mappedField: 'm',
    }));
    await tenant.customers.upsert({
      customerId: 'demo',
      name: 'Demo',
      email: 'demo@example.com',
      connections: [
        {
          providerName: 'hubspot',
          schemaMappingsConfig: {
            commonObjects: [{ object: 'Contact', fieldMappings: mappings }],
            standardObjects: [],
          },
        },
      ],
    });
    const config =
      'connections { schemaMappingsConfig { commonObjects { fieldMappings { schemaField } } } }';
    const customers = Array.from(
      { length: 190 },
      (_, index) => `c${index}: customer { ...Config }`,
    );
    const query = `{ ${customers.join(' ')} } fragment Config on Customer { ${config} }`;
    await expectOneRefusal(await post({ query }, DEMO), /400000 values/);
    const mutation = `mutation ($input: UpsertCustomerInput!) { upsertCustomer(input: $input) { ${aliases(900, 'clientMutationId')} } }`;
    const input = {
      customerId: 'demo',
      name: 'Demo',
      email: 'demo@example.com',
      clientMutationId: LONG,
    };
    await expectOneRefusal(
      await post({ query: mutation, variables: { input } }, DEMO),
      /16777216 bytes/,
    );
  });

  test('for escaped characters by their escaped length', async () => {
    const people = createFakePeople(1_000).map((person) => ({
      ...person,
      firstName: '\u0001'.repeat(60),
    }));
    const { post } = await createTestServer({ people });
    const query = `{ searchContacts(filter: { emailDomain: "example.com" }, first: 1000) { nodes { ${aliases(90, 'firstName')} } } }`;
    await expectOneRefusal(await post({ query }, DEMO), /16777216 bytes/);
  });
});

test.each(['_entities(representations: $refs)', 'nodes(ids: $ids)'])(
  'the name of a type costs what any value costs: %s',
  async (field) => {
    const { post } = await createTestServer();
    const names = field.startsWith('nodes') ? '$ids: [ID!]!' : '$refs: [_Any!]!';
    const query = `query (${names}) { ${field} { ${aliases(900, '__typename')} } }`;
    const variables = {
      ids: Array(1_000).fill('x'),
      refs: Array(1_000).fill({ __typename: 'Customer', customerId: 'demo' }),
    };
    await expectOneRefusal(
      await post({ query, variables }, DEMO),
      /cost is \d+, and the limit is 200000/,
    );
  },
);

describe('the cost of repeated work is counted for each occurrence', () => {
  const REFUSED = /cost is \d+, and the limit is 200000/;

  test('for a list argument that applies to each contact', async () => {
    const { post } = await createTestServer();
    const query = (to: string) =>
      `query ($t: [AssociatedObject!]) { searchContacts(filter: { emailDomain: "example.com" }, first: 1000) { nodes { associations(to: ${to}) { remoteId } } } }`;
    const kinds = Array(20_000).fill('COMPANY');
    await expectOneRefusal(
      await post({ query: query('$t'), variables: { t: kinds } }, DEMO),
      REFUSED,
    );
    const written = kinds.slice(0, 10_000);
    await expectOneRefusal(await post({ query: query(`[${written}]`) }, DEMO), REFUSED);
    expect((await post({ query: query('[COMPANY, DEAL]') }, DEMO)).status).toBe(200);
  });

  test.each(['nodes(ids: $list) { id }', '_entities(representations: $list) { __typename }'])(
    'records by a list of references: %s',
    async (field) => {
      const { post } = await createTestServer();
      const type = field.startsWith('nodes') ? '[ID!]!' : '[_Any!]!';
      const query = (count: number) =>
        `query ($list: ${type}) { ${Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ')} }`;
      const list = Array(1_000).fill(
        field.startsWith('nodes') ? 'x' : { __typename: 'Customer', customerId: 'demo' },
      );
      await expectOneRefusal(await post({ query: query(50), variables: { list } }, DEMO), REFUSED);
      expect((await post({ query: query(10), variables: { list } }, DEMO)).status).toBe(200);
    },
  );
});

test('an operation is rejected before its execution if its minimum response size is too large', async () => {
  const { post } = await createTestServer();
  const long = 'a'.repeat(250);
  const names = Array.from({ length: 80 }, (_, index) => `${long}${index}: firstName`).join(' ');
  const query = `{ searchContacts(filter: { emailDomain: "example.com" }, first: 1000) { nodes { ${names} } } }`;
  await expectOneRefusal(
    await post({ query }, DEMO),
    /the size of its response in bytes is at least \d+/,
  );
});

describe('errors', () => {
  const ids = (count: number) => ({
    ids: Array.from({ length: count }, (_, index) => toId(index)),
  });
  const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';

  test('contain the provider’s response once, and are at most 101', async () => {
    const { post, faults, requestLog } = await createTestServer();
    const remote = { code: 400, body: '\u0001'.repeat(16_000), headers: {} } as RemoteCause;
    faults.set('hubspot', new CrossbookError('REMOTE_PROVIDER_ERROR', 'It says no.', { remote }));
    const text = await (await post({ query: NODES, variables: ids(1_000) }, DEMO)).text();
    expect(text.length).toBeLessThan(RESPONSE_BOUNDS.caller.errorBytes + 50_000);
    const { data, errors } = JSON.parse(text);
    expect(data.nodes).toEqual(Array(1_000).fill(null));
    expect(errors).toHaveLength(101);
    expect(errors.filter((error: Told) => error.extensions.meta.cause)).toEqual([errors[0]]);
    expect(new Set(errors.map((error: Told) => error.extensions.id)).size).toBe(1);
    expect(errors.at(-1)).toMatchObject({
      message: '900 more errors are omitted. The first is REMOTE_PROVIDER_ERROR.',
    });
    expect(requestLog.errors).toHaveLength(1);
  });

  test('have a common limit in a batch', async () => {
    const { post, faults } = await createTestServer();
    faults.set('hubspot', new CrossbookError('REMOTE_PROVIDER_ERROR', 'It says no.'));
    const response = await post(Array(3).fill({ query: NODES, variables: ids(80) }), DEMO);
    const answers = (await response.json()) as { errors: Told[] }[];
    expect(answers.flatMap(({ errors }) => errors)).toHaveLength(102);
    expect(answers.every(({ errors }) => errors.length > 0)).toBe(true);
  });

  test('have a maximum total size, whatever their number', async () => {
    const caller = { ...RESPONSE_BOUNDS.caller, errorBytes: 8_000 };
    const { post, faults } = await createTestServer({
      responseBounds: { ...RESPONSE_BOUNDS, caller },
    });
    faults.set('hubspot', new CrossbookError('REMOTE_PROVIDER_ERROR', 'It says no. '.repeat(100)));
    const response = await post({ query: NODES, variables: ids(20) }, DEMO);
    const { errors } = (await response.json()) as { errors: Told[] };
    const [rest, ...whole] = errors.reverse();
    expect(whole.length).toBeGreaterThan(0);
    expect(JSON.stringify(whole).length).toBeLessThan(8_000 + whole.length + 2);
    expect(rest).toMatchObject({
      message: expect.stringContaining(`${20 - whole.length} more errors`),
    });
  });

  // The longer message does not fit into the errors of a response either.
  test.each([20_000, 200_000])('do not repeat long client input: %i characters', async (length) => {
    const { post } = await createTestServer();
    const long = 'x'.repeat(length);
    for (const body of [
      { query: 'query A { __typename }', operationName: long },
      { query: `{ ${long} }` },
      {
        query: `query ($p: ProviderName) { searchContacts(provider: $p, filter: { email: "a" }) { totalCount } }`,
        variables: { p: long },
      },
      { query: `{ ${long}: node(id: 1, ${long}: 2) { id } }` },
    ]) {
      const text = await (await post(body, DEMO)).text();
      expect(text).toContain('errors');
      expect(text.length).toBeLessThan(4_000);
    }
  });
});

const FIELDS = `
  id remoteId provider accountId ownerId firstName lastName lifecycleStage lastActivityAt createdAt updatedAt isDeleted
  addresses { addressType street1 street2 city state postalCode country }
  emailAddresses { emailAddress emailAddressType } phoneNumbers { phoneNumber phoneNumberType }
`;

async function expectOneRefusal(response: Response, said: RegExp): Promise<void> {
  const text = await response.text();
  expect(text.length).toBeLessThan(2_000);
  expect(response.status).toBe(400);
  const { data, errors } = JSON.parse(text);
  expect(data).toBeUndefined();
  expect(errors).toHaveLength(1);
  expect(errors[0].message).toMatch(said);
}

function aliases(count: number, field: string): string {
  return Array.from({ length: count }, (_, index) => `a${index}: ${field}`).join(' ');
}

function toId(index: number): string {
  const source = ['11111111-1111-4111-8111-111111111111', 'demo', 'hubspot'];
  return Buffer.from(JSON.stringify([1, 'Contact', ...source, String(index)])).toString(
    'base64url',
  );
}

interface Told {
  readonly extensions: { readonly id: string; readonly meta: { readonly cause?: unknown } };
}
