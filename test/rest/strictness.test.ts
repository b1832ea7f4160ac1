import { describe, expect, test } from 'vitest';
import { DEMO, JSON_DEMO, openRest } from './open-rest.ts';

const SEARCH = '/contacts/_search';
const FILTER = { filter: { email: 'ada@example.com' } };
const CUSTOMER = { customer_id: 'c', name: 'n', email: 'c@example.com' };

describe('query parameters', () => {
  test.each([
    ['page_size=abc', 'page_size must be a whole number'],
    ['page_size=', 'page_size must be a whole number'],
    ['page_size=1e2', 'page_size must be a whole number'],
    ['page_size=1.5', 'page_size must be a whole number'],
    ['page_size=1001', 'page_size must be at most 1000'],
    ['page_size=-1', 'page_size must be at least 0'],
    ['page_size=9007199254740993', 'page_size must be at most 1000'],
    ['page_size=1&page_size=2', 'page_size is given more than once'],
    ['include_raw_data=1', 'include_raw_data must be true or false'],
    ['include_raw_data=TRUE', 'include_raw_data must be true or false'],
    ['include_raw_data=true&include_raw_data=true', 'include_raw_data is given more than once'],
    ['read_from_cache=', 'read_from_cache must be true or false'],
    ['cursor=', 'cursor must not be empty'],
    ['cursor=a&cursor=b', 'cursor is given more than once'],
    ['cursor=nonsense', 'cursor'],
    ['associations_to_fetch=', 'associations_to_fetch[0] must be one of: company, deal, ticket'],
    ['associations_to_fetch=company,boat', 'associations_to_fetch[1] must be one of'],
    ['pageSize=1', 'query parameter pageSize is not known'],
    ['__proto__=1', 'query parameter __proto__ is not known'],
    ['constructor=1', 'query parameter constructor is not known'],
  ])('%s is rejected by name', async (query, detail) => {
    const answer = await (await openRest()).ask('POST', `${SEARCH}?${query}`, { body: FILTER });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].detail).toContain(detail);
  });

  test.each(['PUT', 'GET'])('%s of customers accepts none', async (method) => {
    const { ask } = await openRest();
    const asked =
      method === 'PUT'
        ? ask('PUT', '/customers?a=1', { body: CUSTOMER })
        : ask('GET', '/customers/demo?a=1');
    expect(await asked).toMatchObject({ status: 400 });
  });
});

describe('bodies of a search', () => {
  test.each([
    [null, 'the body must be an object'],
    [[], 'the body must be an object'],
    ['text', 'the body must be an object'],
    [{}, 'filter is required'],
    [{ filter: null }, 'filter must be an object'],
    [{ filter: {} }, 'exactly one condition'],
    [{ filter: { email: 'a@b.c', email_domain: 'b.c' } }, 'exactly one condition'],
    [{ filter: { email: 1 } }, 'filter.email must be text'],
    [{ filter: { email: null } }, 'filter.email must be text'],
    [{ filter: { emails: 'a@b.c' } }, 'filter.emails must be a list'],
    [{ filter: { emails: ['a@b.c', 2] } }, 'filter.emails[1] must be text'],
    [
      { filter: { emails: Array(1_001).fill('a@b.c') } },
      'filter.emails has more than 1000 entries',
    ],
    [{ filter: { email: 'a@b.c', Email: 'a@b.c' } }, 'filter.Email is not known'],
    [{ ...FILTER, page_size: 1 }, 'page_size is not known'],
  ])('%j is rejected by name', async (body, detail) => {
    const answer = await (await openRest()).ask('POST', SEARCH, { body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].detail).toContain(detail);
  });

  test.each([
    ['not-an-email', 'filter'],
    ['a@b@c', 'filter'],
    ['', 'filter'],
  ])('the email %j is valid JSON and no email', async (email) => {
    expect(
      (await (await openRest()).ask('POST', SEARCH, { body: { filter: { email } } })).status,
    ).toBe(422);
  });
});

describe('bodies of an upsert', () => {
  const connection = (fields: object) => ({
    ...CUSTOMER,
    connections: [{ provider_name: 'hubspot', ...fields }],
  });
  test.each([
    [{}, 400, 'customer_id is required; name is required; email is required'],
    [{ ...CUSTOMER, version: 1 }, 400, 'version is not known'],
    [{ ...CUSTOMER, application_id: 'x' }, 400, 'application_id is not known'],
    [{ ...CUSTOMER, connections: null }, 400, 'connections must be a list'],
    [{ ...CUSTOMER, connections: [{}] }, 400, 'connections[0].provider_name is required'],
    [
      { ...CUSTOMER, connections: [{ provider_name: 'HubSpot' }] },
      400,
      'connections[0].provider_name must be one of',
    ],
    [connection({ category: 'crm' }), 400, 'connections[0].category is not known'],
    [connection({ instance_url: 1 }), 400, 'connections[0].instance_url must be text'],
    [
      connection({ credentials: {} }),
      400,
      'connections[0].credentials.type must be one of: oauth2, token',
    ],
    [
      connection({ credentials: { type: 'oauth2' } }),
      400,
      'connections[0].credentials.access_token is required',
    ],
    [
      connection({
        connection_sync_config: { destination_config: { type: 'bigquery', schema: 's' } },
      }),
      400,
      'connections[0].connection_sync_config.destination_config.schema is not known',
    ],
    [
      connection({ entity_mappings: [{ object: { type: 'odd', name: 'x' } }] }),
      400,
      'entity_mappings[0].object.type',
    ],
    [{ ...CUSTOMER, email: 'nobody' }, 422, 'The email must be an address such as ada@example.com'],
    [{ ...CUSTOMER, customer_id: '' }, 422, 'The customer id is empty'],
    [connection({ instance_url: 'https://elsewhere.example' }), 422, 'the instance URL'],
    [
      { ...CUSTOMER, connections: Array(2).fill({ provider_name: 'slack' }) },
      422,
      'slack more than once',
    ],
  ])('%j', async (body, status, detail) => {
    const answer = await (await openRest()).ask('PUT', '/customers', { body });
    expect(answer.status).toBe(status);
    expect(answer.body.errors[0].detail).toContain(detail);
  });

  test('of a short body every mistake is counted, and of a long one the first is told', async () => {
    const { ask } = await openRest();
    const tell = async (body: object) =>
      (await ask('PUT', '/customers', { body })).body.errors[0].detail;
    const mapping = (times: number) => connection({ entity_mappings: Array(times).fill(0) });
    expect(await tell(mapping(30))).toMatch(
      /entity_mappings\[19\] must be an object; and 10 more\.$/,
    );
    expect(await tell(mapping(10_000))).toBe(
      'connections[0].entity_mappings[0] must be an object, such as {"field_mappings":[]}.',
    );
  });

  test('a list that is too long is rejected without reading its entries', async () => {
    const { ask } = await openRest();
    const answer = await ask('PUT', '/customers', {
      body: { ...CUSTOMER, connections: Array(19).fill(0) },
    });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].detail).toBe('connections has more than 18 entries.');
  });

  test('OpenAPI has the maximum of connections', async () => {
    const { document } = await openRest();
    expect(JSON.stringify(document.components)).toMatch(/"connections":\{[^{}]*"maxItems":18/);
  });

  test('a rejected secret is not repeated', async () => {
    const credentials = {
      type: 'token',
      value: 's3cret',
      s3cret: 's3cret'.length,
      other: { deep: 's3cret' },
    };
    const { ask } = await openRest();
    const answer = await ask('PUT', '/customers', {
      body: connection({ credentials: { ...credentials, value: ['hush'] } }),
    });
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain('hush');
  });
});

describe('bodies as bytes', () => {
  test.each<[string, string | Uint8Array, object, number]>([
    ['empty', '', {}, 400],
    ['blank', ' \n', {}, 400],
    ['no JSON', '{"filter":', {}, 400],
    ['a comment in it', '{} // yes', {}, 400],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), {}, 400],
    ['__proto__ at the top', '{"__proto__":{},"filter":{"email":"a@b.c"}}', {}, 400],
    ['__proto__ below', '{"filter":{"email":"a@b.c","__proto__":{"x":1}}}', {}, 400],
    ['constructor', '{"filter":{"email":"a@b.c","constructor":{}}}', {}, 400],
    ['a key twice', '{"filter":{"email":"a@b.c","email":"d@e.f"}}', {}, 400],
    ['a key twice, once escaped', '{"filter":{"email":"a@b.c","\\u0065mail":"d@e.f"}}', {}, 400],
    ['half a surrogate pair', '{"filter":{"email":"\\ud83da@b.c"}}', {}, 400],
    ['brackets without end', '['.repeat(900_000), {}, 400],
    ['nested very deep', `${'['.repeat(400_000)}${']'.repeat(400_000)}`, {}, 400],
    ['a whole surrogate pair', '{"filter":{"email":"\\ud83d\\ude00@b.c"}}', {}, 200],
    ['the same key in two objects', '{"filter":{"email":"a@b.c"}}', {}, 200],
    ['a byte order mark', '\ufeff{"filter":{"email":"a@b.c"}}', {}, 200],
    ['text', '{}', { 'content-type': 'text/plain' }, 415],
    ['another charset', '{}', { 'content-type': 'application/json; charset=latin1' }, 415],
    [
      'UTF-8 by name',
      '{"filter":{"email":"a@b.c"}}',
      { 'content-type': 'application/json; charset=UTF-8' },
      200,
    ],
    [
      'a content type with another parameter, as in GraphQL',
      '{"filter":{"email":"a@b.c"}}',
      { 'content-type': 'application/json;charset=utf8;v=1' },
      200,
    ],
  ])('%s', async (_, raw, headers, status) => {
    const { ask } = await openRest();
    expect((await ask('POST', SEARCH, { headers: { ...JSON_DEMO, ...headers }, raw })).status).toBe(
      status,
    );
  });
});

test('one response lists the errors of query, headers and body', async () => {
  const { ask } = await openRest();
  const headers = { ...DEMO, 'x-provider-name': 'nobody' };
  const answer = await ask('POST', `${SEARCH}?page_size=a&b=c`, {
    headers,
    body: { filter: { email: 1 } },
  });
  expect(answer.body.errors).toHaveLength(1);
  for (const name of [
    'parameter page_size',
    'parameter b',
    'header x-provider-name',
    'filter.email',
  ]) {
    expect(answer.body.errors[0].detail).toContain(name);
  }
});

test('a thousand errors give a response of bounded size', async () => {
  const { ask } = await openRest();
  const make = (length: number, times: number) =>
    Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`.repeat(times), 1]));
  for (const [body, detail] of [
    [make(50, 40), /and 31 more\.$/],
    [make(1_000, 100), /^filter is required: an object with email, /],
    [{ filter: make(1_000, 100) }, /and 980 more\.$/],
  ] as const) {
    const answer = await ask('POST', SEARCH, { body });
    expect(answer.text.length).toBeLessThan(5_000);
    expect(answer.body.errors[0].detail).toMatch(detail);
  }
});
