import { readFileSync } from 'node:fs';
import { CrossbookError, createClient } from 'crossbook-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askMcp, callTool } from '../mcp/ask-mcp.ts';
import { connectAccount } from '../support/connect-account.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { readRows } from '../support/read-rows.ts';
import { toFetch } from '../support/to-fetch.ts';
import { CREATE, UPSERT } from '../support/write-contacts.ts';

const MCP = { allowsKeys: true, writes: true, text: true, issuer: undefined };
/** Of the client's document, by the file that an operator loads. */
const [UPSERT_HASH] =
  Object.entries(JSON.parse(readFileSync('operations.json', 'utf8'))).find(([, document]) =>
    String(document).startsWith('mutation UpsertContacts('),
  ) ?? [];
const SECRET = 'Zanzibarian-Value';

let database: TestDatabase;
let crossbook: TestApp;
/** Accepts only the documents of the client. */
let restricted: TestApp;
beforeAll(async () => {
  database = await createTestDatabase();
  crossbook = await openApp({ mcp: MCP, database: { url: database.url } });
  restricted = await openApp({ operations: 'operations.json' });
});
afterAll(async () => {
  await restricted.close();
  await crossbook.close();
  await database.drop();
});

/** The customers of these tests: one whose connection may be written to, and one whose may not. */
const open = async (customerId: string, canWrite: boolean, app = crossbook) => {
  const connected = await connectAccount(app, {
    provider: 'hubspot',
    people: [],
    customerId,
    canWrite,
  });
  const issue = async (more: object) => {
    const { body } = await app.rest('POST', `/customers/${customerId}/tokens`, more);
    return { authorization: `Bearer ${body.token}` };
  };
  const target = { 'x-customer-id': customerId, 'x-provider-name': 'hubspot' };
  return {
    account: connected.account,
    target,
    callers: {
      key: { 'x-api-key': app.key },
      writer: await issue({ can_write: true }),
      reader: await issue({}),
    },
  };
};
type Opened = Awaited<ReturnType<typeof open>>;

const RECORD = { email: 'new@access.example', changes: { lastName: 'L' } };

/** Each way to write, with the error code, or undefined. */
const WAYS: Readonly<
  Record<string, (headers: Record<string, string>, record: object) => Promise<string | undefined>>
> = {
  async graphql(headers, record) {
    const { errors } = await ask('/graphql', headers, {
      query: UPSERT,
      variables: { input: { records: [record] } },
    });
    return errors?.[0].extensions.code;
  },
  async rest(headers) {
    const records = [{ email: RECORD.email, changes: { last_name: 'L' } }];
    return (await ask('/contacts/_upsert', headers, { records })).errors?.[0].code;
  },
  async mcp(headers, record) {
    const args = { dryRun: false, records: [record] };
    const { 'x-customer-id': customerId, ...others } = headers;
    const isKey = 'x-api-key' in headers;
    const done: Json = await callTool(crossbook, others, 'upsert_contacts', {
      ...args,
      ...(isKey && { customerId }),
    });
    // A tool that the caller does not have does not exist.
    return done.error ? 'FORBIDDEN' : done.structuredContent?.error?.code;
  },
  async client(headers, record) {
    const { 'x-customer-id': customerId, authorization, 'x-api-key': apiKey = '' } = headers;
    const fetch = ((url: string, init: RequestInit) =>
      toFetch(crossbook.app.answer)(new Request(url, init))) as typeof globalThis.fetch;
    const endpoint = { url: 'http://crossbook.test/graphql', fetch };
    const client = createClient(
      authorization === undefined
        ? { ...endpoint, apiKey }
        : { ...endpoint, token: authorization.replace('Bearer ', '') },
    );
    const input = { customerId, provider: 'HUBSPOT', records: [record as typeof RECORD] } as const;
    return client.upsertContacts(input).then(
      () => undefined,
      (error: unknown) => (error instanceof CrossbookError ? error.code : String(error)),
    );
  },
  async 'trusted document'(headers, record) {
    const variables = { input: { records: [record] } };
    const body = {
      variables,
      extensions: { persistedQuery: { version: 1, sha256Hash: UPSERT_HASH } },
    };
    const { errors } = await ask('/graphql', headers, body, restricted);
    return errors?.[0].extensions.code;
  },
};

async function ask(
  path: string,
  headers: Record<string, string>,
  body: object,
  { app } = crossbook,
): Promise<Json> {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
  const response = await toFetch(app.answer)(new Request(`http://crossbook.test${path}`, init));
  return response.json();
}

describe.each(Object.keys(WAYS))('A write by %s', (way) => {
  const connect = (customerId: string, canWrite: boolean) =>
    open(customerId, canWrite, way === 'trusted document' ? restricted : crossbook);
  const write = (opened: Opened, caller: keyof Opened['callers'], target = opened.target) =>
    WAYS[way]?.({ ...target, ...opened.callers[caller] }, RECORD);

  test('needs a connection that may be written to, and a key or a token that may write', async () => {
    const allowed = await connect(`allowed ${way}`, true);
    const readOnly = await connect(`read-only ${way}`, false);
    expect(await write(allowed, 'reader')).toBe('FORBIDDEN');
    for (const caller of ['key', 'writer'] as const)
      expect(await write(readOnly, caller)).toBe('FORBIDDEN');
    expect(allowed.account.people.all()).toHaveLength(0);
    for (const caller of ['key', 'writer'] as const)
      expect(await write(allowed, caller)).toBeUndefined();
    expect(allowed.account.people.all()).toHaveLength(1);
    expect(readOnly.account.callCount()).toBe(0);
  });

  test('for another customer is refused to a token', async () => {
    const [one, other] = [await connect(`one ${way}`, true), await connect(`other ${way}`, true)];
    // A tool writes for the customer of the token, whatever a header says.
    const expected = way === 'mcp' ? [1, 0] : [0, 0];
    const code = await write(one, 'writer', other.target);
    if (way !== 'mcp') expect(code).toBe('FORBIDDEN');
    expect([one, other].map(({ account }) => account.people.all().length)).toEqual(expected);
  });
});

test('A document that is not trusted writes nothing, whoever sends it', async () => {
  const { account, callers, target } = await open('untrusted', true, restricted);
  const body = { query: UPSERT, variables: { input: { records: [RECORD] } } };
  for (const caller of [callers.key, callers.writer]) {
    const { errors } = await ask('/graphql', { ...target, ...caller }, body, restricted);
    expect(errors[0].extensions.code).toBe('FORBIDDEN');
  }
  expect(account.callCount()).toBe(0);
});

test('No request with GET writes, and no tool that writes exists without CROSSBOOK_MCP_WRITES', async () => {
  const { account, callers, target } = await open('get', true);
  const query = new URLSearchParams({
    query: UPSERT,
    variables: JSON.stringify({ input: { records: [RECORD] } }),
  });
  const response = await toFetch(crossbook.app.answer)(
    new Request(`http://crossbook.test/graphql?${query}`, {
      headers: { ...target, ...callers.key },
    }),
  );
  expect(response.status).toBe(405);
  expect(account.people.all()).toHaveLength(0);
  const plain = await openApp({ mcp: { ...MCP, writes: false } });
  const { body } = await askMcp(plain, {
    headers: { 'x-api-key': plain.key },
    message: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  });
  const names = body.result.tools.map(({ name }: Json) => name);
  expect(names.filter((name: string) => /^(upsert|create|update)_contacts$/.test(name))).toEqual(
    [],
  );
  await plain.close();
});

test('A write is read by its id and in the list, by those who may, and goes with its customer', async () => {
  const { callers, target, account } = await open('audit', true);
  const other = await open('audit other', true);
  const headers = { ...target, ...callers.writer };
  account.setQuirks({ propertyRules: { firstname: '^[a-z]' } } as never);
  const { data } = await ask('/graphql', headers, {
    query: CREATE,
    variables: {
      input: {
        idempotencyKey: 'audit',
        records: [
          { changes: { lastName: SECRET, rawFields: { jobtitle: SECRET } } },
          { changes: { firstName: SECRET } },
        ],
      },
    },
  });
  const { id } = data.createContacts.write;
  const { records } = await get(`/writes?customer_id=audit`, callers.key);
  expect(records).toHaveLength(1);
  expect(records[0]).toMatchObject({
    id,
    operation: 'createContacts',
    provider_name: 'hubspot',
    is_complete: true,
    results: [
      { outcome: 'created', fields: ['last_name', 'raw_fields.jobtitle'] },
      { outcome: 'refused', fields: ['first_name'] },
    ],
  });
  expect(await get(`/writes/${id}`, callers.writer)).toEqual(records[0]);
  expect((await get(`/writes/${id}`, other.callers.writer)).errors[0].code).toBe('NOT_FOUND');
  expect((await get('/writes?customer_id=audit', callers.writer)).errors[0].code).toBe('FORBIDDEN');
  // No value of a field is kept anywhere.
  expect(JSON.stringify([data, records])).not.toContain(SECRET);
  const rows = await readRows(database.url);
  expect(rows.filter((row) => row.includes(id))).toHaveLength(1);
  for (const text of [...rows, ...crossbook.log]) expect(text).not.toContain(SECRET);
  await crossbook.rest('DELETE', '/customers/audit');
  expect((await readRows(database.url)).filter((row) => row.includes(id))).toEqual([]);
});

test('What was cached before a write is not served after it', async () => {
  const { callers, target } = await open('cached', true);
  const headers = { ...target, ...callers.key };
  const search = async () => {
    const { data } = await ask('/graphql', headers, {
      query:
        'query ($email: String!) { searchContacts(filter: { email: $email }, readFromCache: true) { nodes { lastName } } }',
      variables: { email: RECORD.email },
    });
    return data.searchContacts.nodes;
  };
  expect(await search()).toEqual([]);
  await expect.poll(async () => (await readRows(database.url)).length).toBeGreaterThan(0);
  await ask('/contacts/_upsert', headers, {
    records: [{ email: RECORD.email, changes: { last_name: 'First' } }],
  });
  expect(await search()).toEqual([{ lastName: 'First' }]);
  await ask('/contacts/_upsert', headers, {
    records: [{ email: RECORD.email, changes: { last_name: 'Second' } }],
  });
  expect(await search()).toEqual([{ lastName: 'Second' }]);
});

async function get(path: string, headers: Record<string, string>): Promise<Json> {
  const response = await toFetch(crossbook.app.answer)(
    new Request(`http://crossbook.test${path}`, { headers }),
  );
  return response.json();
}
