import { readFileSync } from 'node:fs';
import { buildSchema, isNonNullType } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAdminKey } from '../../src/domain/caller.ts';
import { ADMIN_ROUTES } from '../../src/rest/admin.ts';
import { OPERATIONS } from '../../src/rest/routes/all.ts';
import { askMcp, toCall } from '../mcp/ask-mcp.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';

const { key: adminKey, hash } = createAdminKey();
/** Less than many responses have, and more than an error. */
const LIMIT = 1_500;
/** An error may list twenty mistakes; an error of a page is a page. */
const LONGEST_ERROR = 16_000;

let crossbook: TestApp;
let asKey: Record<string, string>;
beforeAll(async () => {
  crossbook = await openApp({
    maxResponseBytes: LIMIT,
    adminKeyHash: hash,
    metrics: true,
    mcp: { allowsKeys: true, writes: false, text: true, issuer: undefined },
  });
  asKey = { 'x-api-key': crossbook.key, 'x-customer-id': 'demo', 'x-provider-name': 'hubspot' };
});
afterAll(() => crossbook.close());

async function ask(method: string, path: string, headers: Record<string, string>, body?: object) {
  const request = new Request(`http://localhost:4000${path}`, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const response = await toFetch(crossbook.app.answer)(request);
  const bytes = (await response.arrayBuffer()).byteLength;
  return { place: `${method} ${path}`, status: response.status, bytes };
}

/** Asserts the rule, and returns how many responses were refused by it or by something else. */
function check(answers: readonly { place: string; status: number; bytes: number }[]): number {
  for (const { place, status, bytes } of answers)
    expect(bytes, place).toBeLessThanOrEqual(status < 400 ? LIMIT : LONGEST_ERROR);
  return answers.filter(({ status }) => status >= 400).length;
}

const fillPath = (path: string) =>
  path
    .replace('{customer_id}', 'demo')
    .replace(/\{provider\w*\}/, 'hubspot')
    .replace(/\{\w+\}/g, 'x');

/** The same bytes for all clients, which none of them can make longer. */
const SHARED = ['/docs', '/openapi.json', '/graphql'];

test('no response of REST, of the admin API, or of a page exceeds the limit, unless all clients get the same', async () => {
  const filter = { all: true };
  const rest = OPERATIONS.filter(({ method }) => method !== 'DELETE').map(({ method, path }) =>
    ask(method, fillPath(path), asKey, method === 'GET' ? undefined : { filter }),
  );
  expect(check(await Promise.all(rest))).toBeGreaterThan(0);
  const admin = ADMIN_ROUTES.filter(({ method }) => method === 'GET').map(({ method, path }) =>
    ask(method, fillPath(path), { 'x-admin-key': adminKey, authorization: `Bearer ${adminKey}` }),
  );
  check(await Promise.all(admin));
  const pages = ['/', '/metrics', '/livez', '/readyz', '/demo/connect'];
  const html = { accept: 'text/html' };
  const shown = await Promise.all(
    [...pages, '/connect/x', '/nothing'].map((path) => ask('GET', path, html)),
  );
  expect(check(shown)).toBeGreaterThan(2);
  const twice = (path: string) => Promise.all([ask('GET', path, html), ask('GET', path, html)]);
  for (const [one, other] of await Promise.all(SHARED.map(twice)))
    expect(one.bytes).toBe(other.bytes);
});

test('no response of GraphQL exceeds the limit', async () => {
  const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  const queries = fields
    .filter(({ args }) => !args.some(({ type }) => isNonNullType(type)))
    .map(({ name }) => `{ ${name} { __typename } }`);
  const many = Array.from({ length: 60 }, (_, at) => `a${at}: __typename`).join(' ');
  const all = [...queries, `{ ${many} }`, '{ __schema { types { name description } } }'];
  check(await Promise.all(all.map((query) => ask('POST', '/graphql', asKey, { query }))));
  const batch = [{ query: `{ ${many} }` }, { query: `{ ${many} }` }];
  check([await ask('POST', '/graphql', asKey, batch)]);
});

test('no response of MCP exceeds the limit, for each method that the server names', async () => {
  const send = async (message: object, headers = {}) => {
    const { status, text } = await askMcp(crossbook, {
      headers: { ...asKey, ...headers },
      message,
    });
    return { status, bytes: Buffer.byteLength(text), text };
  };
  const toRequest = (method: string, params: object = {}) => ({
    jsonrpc: '2.0',
    id: 1,
    method,
    params,
  });
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const newest = (method: string) => ({
    message: toRequest(method, { name: 'list_connections', _meta: meta }),
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': 'list_connections',
    },
  });
  const readMethods = (text: string) =>
    (JSON.parse(text).error.message as string)
      .replace(/^.*There are: /, '')
      .replace('.', '')
      .split(', ');
  const older = readMethods((await send(toRequest('nothing'))).text);
  const { message, headers } = newest('nothing');
  const others = readMethods((await send(message, headers)).text);
  expect([older, others]).toEqual([
    expect.arrayContaining(['initialize', 'tools/list', 'tools/call']),
    expect.arrayContaining(['server/discover', 'tools/list', 'tools/call']),
  ]);
  const answers = await Promise.all([
    ...older.map((method) =>
      send(toRequest(method, { name: 'list_connections', protocolVersion: 'x' })),
    ),
    ...others.map((method) => send(newest(method).message, newest(method).headers)),
    send(Array.from({ length: 10 }, () => toCall('list_customers', {}))),
    send(toCall('search_contacts', { filter: { all: true }, first: 50 })),
  ]);
  expect(check(answers.map((one) => ({ ...one, place: one.text.slice(0, 100) })))).toBeGreaterThan(
    2,
  );
});
