import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { EXTENSIONS } from '../../graphql/test-server.ts';
import { openGateway, type TestGateway } from './open-gateway.ts';

let gateway: TestGateway;
let caller: Record<string, string>;

beforeAll(async () => {
  gateway = await openGateway();
  caller = { 'x-api-key': gateway.crossbook.key, 'x-customer-id': 'demo' };
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.crossbook.requests.length = 0;
  gateway.crossbook.sandbox.hubspot.demo.resetCalls();
});

test('thirty contacts of another subgraph are read from ours in one batch', async () => {
  const { data, errors } = await gateway.ask(
    '{ recentNotes { text contact { id firstName emailAddresses { emailAddress } noteCount } } }',
    caller,
  );
  expect(errors).toBeUndefined();
  const notes = data?.['recentNotes'] as {
    contact: { emailAddresses: object[]; noteCount: number };
  }[];
  expect(notes).toHaveLength(30);
  for (const { contact } of notes) {
    expect(contact.emailAddresses.length).toBeGreaterThan(0);
    expect(contact.noteCount).toBe(1);
  }
  expect(gateway.crossbook.requests).toHaveLength(1);
  expect(gateway.crossbook.sandbox.hubspot.demo.callCount()).toBe(1);
});

test('one query reads one customer from both subgraphs, and pages in both', async () => {
  const { data, errors } = await gateway.ask(
    `{
      customer {
        name
        notes { nodes { text contact { firstName } } pageInfo { endCursor } }
        connections { providerName searchContacts(filter: { emailDomain: "bigco.example" }, first: 2) { nodes { id noteCount } pageInfo { hasNextPage } } }
      }
    }`,
    caller,
  );
  expect(data?.['customer']).toMatchObject({
    name: 'Demo customer',
    notes: {
      nodes: [{ text: 'Note 1', contact: { firstName: expect.any(String) } }],
      pageInfo: { endCursor: '1' },
    },
    connections: [
      {
        providerName: 'HUBSPOT',
        searchContacts: {
          nodes: [{ noteCount: 1 }, { noteCount: 1 }],
          pageInfo: { hasNextPage: true },
        },
      },
      {
        providerName: 'SALESFORCE',
        searchContacts: { nodes: [{ noteCount: 0 }, { noteCount: 0 }] },
      },
      { providerName: 'ZENDESK_SELL', searchContacts: null },
    ],
  });
  expect(errors).toHaveLength(1);
});

test('an error of our subgraph arrives with its path and all its extensions', async () => {
  const { data, errors } = await gateway.ask(
    '{ fine: customer { name } none: searchContacts(provider: ZENDESK_SELL, filter: { email: "ada@example.com" }) { totalCount } }',
    caller,
  );
  expect(data).toEqual({ fine: { name: 'Demo customer' }, none: null });
  expect(errors).toHaveLength(1);
  const [error] = errors ?? [];
  expect(error).toMatchObject({
    message: 'The contacts of Zendesk Sell cannot be searched.',
    path: ['none'],
  });
  expect(error?.extensions).toMatchObject({
    id: expect.any(String),
    code: 'NOT_IMPLEMENTED',
    problem_type: 'NOT_IMPLEMENTED',
    status: '501',
    meta: { origin: 'crossbook', application_name: 'Demo application', retryable: false },
  });
  expect(Object.keys(error?.extensions ?? {})).toEqual(expect.arrayContaining(EXTENSIONS));
});

test('only the trusted headers are forwarded to the subgraph', async () => {
  const headers = { ...caller, 'x-provider-name': 'salesforce' };
  const query = '{ searchContacts(filter: { email: "ada@example.com" }) { nodes { provider } } }';
  const { data } = await gateway.ask(query, {
    ...headers,
    'x-forwarded-user': 'root',
    cookie: 'a=b',
  });
  expect(data).toEqual({ searchContacts: { nodes: [{ provider: 'SALESFORCE' }] } });
  const seen = gateway.crossbook.requests[0]?.headers;
  for (const [name, value] of Object.entries(headers)) expect(seen?.get(name)).toBe(value);
  expect([seen?.get('x-forwarded-user'), seen?.get('cookie'), seen?.get('authorization')]).toEqual([
    null,
    null,
    null,
  ]);
});

test('a customer token is sufficient for its customer, also through the gateway', async () => {
  const { data } = await gateway.crossbook.execute(
    'mutation { issueCustomerToken(input: { customerId: "demo" }) { token } }',
  );
  const authorization = `Bearer ${data.issueCustomerToken.token}`;
  expect(await gateway.ask('{ customer { customerId } }', { authorization })).toEqual({
    data: { customer: { customerId: 'demo' } },
  });
});

test('without a key, entities are null: behind the gateway and for direct requests', async () => {
  const { data, errors } = await gateway.ask('{ recentNotes { text contact { firstName } } }', {});
  expect(JSON.stringify(data ?? null)).not.toMatch(/"firstName":"/);
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'UNAUTHORIZED', status: '401' });

  const response = await fetch(`${gateway.crossbook.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      query:
        'query ($r: [_Any!]!) { _entities(representations: $r) { __typename ... on Customer { name email } } }',
      variables: { r: [{ __typename: 'Customer', customerId: 'demo' }] },
    }),
  });
  const answer = await response.json();
  expect(response.status).toBe(401);
  expect(answer).not.toHaveProperty('data');
  expect(gateway.crossbook.sandbox.hubspot.demo.callCount()).toBe(0);
});
