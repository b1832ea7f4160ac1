import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApp, type TestApp } from '../support/open-app.ts';
import { askMcp } from './ask-mcp.ts';

const BYTES = 200_000;
const HOLE = '"@"';
const H = '@';
const INFO = { name: 'test', version: '1' };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const NEWEST = { 'mcp-protocol-version': '2026-07-28' };

/** What a member may be instead of what it should be, as JSON of 200 KB. */
const SHAPES: Readonly<Record<string, string>> = {
  numbers: list('0'),
  texts: list('""'),
  lists: list('[]'),
  objects: list('{}'),
  'lists of numbers': list(`[${'0,'.repeat(20)}0]`),
  'objects with lists': list(`{"sizes":${list('0', BYTES / 5)}}`),
  members: `{${Array.from({ length: BYTES / 12 }, (_, at) => `"k${at}":0`).join(',')}}`,
  'a text': JSON.stringify('x'.repeat(BYTES)),
  'deep lists': '['.repeat(BYTES / 2) + ']'.repeat(BYTES / 2),
  'a number': '1e300',
};

/** Every member of every message, and members that do not exist. */
const PLACES: Readonly<Record<string, unknown>> = {
  message: H,
  jsonrpc: { jsonrpc: H, id: 1, method: 'ping' },
  id: { jsonrpc: '2.0', id: H, method: 'ping' },
  method: { jsonrpc: '2.0', id: 1, method: H },
  'unknown member': { jsonrpc: '2.0', id: 1, method: 'ping', other: H },
  params: toRequest('tools/list', H),
  'params of an unknown method': toRequest('resources/list', { other: H }),
  'initialize.protocolVersion': toInitialize({ protocolVersion: H }),
  'initialize.capabilities': toInitialize({ capabilities: H }),
  'initialize.capabilities.experimental': toInitialize({ capabilities: { experimental: H } }),
  'initialize.clientInfo': toInitialize({ clientInfo: H }),
  'initialize.clientInfo.name': toInitialize({ clientInfo: { ...INFO, name: H } }),
  'initialize.clientInfo.icons': toInitialize({ clientInfo: { ...INFO, icons: H } }),
  'ping.other': toRequest('ping', { other: H }),
  'tools/list.cursor': toRequest('tools/list', { cursor: H }),
  'tools/list._meta': toRequest('tools/list', { _meta: H }),
  'tools/list._meta.progressToken': toRequest('tools/list', { _meta: { progressToken: H } }),
  'tools/call.name': toRequest('tools/call', { name: H }),
  'tools/call.arguments': toCall(H),
  'tools/call.arguments.other': toCall({ other: H }),
  'tools/call.arguments.filter': toCall({ filter: H }),
  'tools/call.arguments.filter.email': toCall({ filter: { email: H } }),
  'tools/call.arguments.filter.emails': toCall({ filter: { emails: H } }),
  'tools/call.arguments.after': toCall({ filter: { email: 'a@b.example' }, after: H }),
  'notification.params': { jsonrpc: '2.0', method: 'notifications/initialized', params: H },
  'response.result': { jsonrpc: '2.0', id: 1, result: H },
  'response.error': { jsonrpc: '2.0', id: 1, error: H },
  'batch.member': [toRequest('ping', {}), H],
  ...Object.fromEntries(
    [...Object.keys(META), 'other'].map((key) => [
      `newest revision, _meta.${key}`,
      toRequest('tools/list', { _meta: { ...META, [key]: H } }),
    ]),
  ),
};

let crossbook: TestApp;
let headers: Record<string, string>;
beforeAll(async () => {
  crossbook = await openApp();
  const { body } = await crossbook.rest('POST', '/customers/demo/tokens', {});
  headers = { authorization: `Bearer ${body.token}` };
});
afterAll(() => crossbook.close());

test.each(Object.keys(SHAPES))(
  'any member of a message may be %s: the response is short and repeats none of it',
  async (shape) => {
    for (const [place, message] of Object.entries(PLACES)) {
      const raw = JSON.stringify(message).replace(HOLE, () => SHAPES[shape] ?? '');
      const revision = place.startsWith('newest') ? { ...NEWEST, 'mcp-method': 'tools/list' } : {};
      const { status, text } = await askMcp(crossbook, {
        headers: { ...headers, ...revision },
        raw,
      });
      expect(status, place).toBeLessThan(500);
      // The list of tools has less than 29 KB.
      expect(text.length, place).toBeLessThan(text.includes('"tools"') ? 29_000 : 4_000);
      expect(text, place).not.toContain('x'.repeat(101));
    }
  },
);

test('what a client says about itself is not read, and however long it is, the response is an ordinary one', async () => {
  const icons = Array.from({ length: 5 }, () => ({ src: 'x', sizes: Array(50_000).fill(0) }));
  const message = toInitialize({ clientInfo: { ...INFO, icons } });
  const { status, body } = await askMcp(crossbook, { headers, message });
  expect([status, body.result.protocolVersion]).toEqual([200, '2025-06-18']);
});

test('a request of the newest revision must have headers that agree with it', async () => {
  const message = toRequest('tools/call', {
    name: 'list_connections',
    arguments: {},
    _meta: META,
  });
  const complete = { ...NEWEST, 'mcp-method': 'tools/call', 'mcp-name': 'list_connections' };
  const ask = (more: Record<string, string>) =>
    askMcp(crossbook, { headers: { ...headers, ...more }, message });
  const { body } = await ask(complete);
  expect(body.result).toMatchObject({ resultType: 'complete', structuredContent: {} });
  const wrong: readonly (readonly [Record<string, string>, string])[] = [
    [{}, 'The header mcp-protocol-version is missing'],
    [{ ...complete, 'mcp-protocol-version': '2025-06-18' }, 'mcp-protocol-version is "2025-06-18"'],
    [{ ...complete, 'mcp-method': 'x'.repeat(5_000) }, 'must be "tools/call" as in the message'],
    [{ ...NEWEST, 'mcp-method': 'tools/call' }, 'The header mcp-name is missing'],
  ];
  for (const [more, words] of wrong) {
    const refused = await ask(more);
    expect([refused.status, refused.body.error.code], words).toEqual([400, -32_020]);
    expect(refused.body.error.message).toContain(words);
    expect(refused.text.length).toBeLessThan(500);
  }
});

test('an unsupported revision is refused with those that are supported', async () => {
  const ping = toRequest('ping', {});
  const version = { ...headers, 'mcp-protocol-version': '1999-01-01' };
  const older = await askMcp(crossbook, { headers: version, message: ping });
  expect([older.status, older.body.error.message]).toEqual([
    400,
    expect.stringContaining('2026-07-28, 2025-11-25, 2025-06-18'),
  ]);
  const _meta = { ...META, 'io.modelcontextprotocol/protocolVersion': '1999-01-01' };
  const newest = await askMcp(crossbook, {
    headers: version,
    message: toRequest('tools/list', { _meta }),
  });
  expect([newest.status, newest.body.error]).toEqual([
    400,
    expect.objectContaining({
      code: -32_022,
      data: { supported: ['2026-07-28'], requested: '1999-01-01' },
    }),
  ]);
});

test('a wrong filter is an error that lists the filters', async () => {
  const ask = async (args: object) => {
    const { body } = await askMcp(crossbook, { headers, message: toCall(args) });
    return body.result.structuredContent.error.detail;
  };
  const valid = 'email, emails, emailDomain, phone, namePrefix, modifiedSince, customField or all.';
  expect(await ask({ filter: { name: 'Ada' } })).toBe(`filter.name is not known: use ${valid}`);
  expect(await ask({})).toBe(`filter is required: an object with ${valid}`);
  expect(await ask({ filter: 'Ada' })).toBe(`filter must be an object with ${valid}`);
  expect(await ask({ filter: { email: 'a@b.example' }, provider: 'odd' })).toMatch(
    /^provider must be one of: salesforce, hubspot, pipedrive\.$/,
  );
});

function toRequest(method: string, params: unknown) {
  return { jsonrpc: '2.0', id: 1, method, params };
}

function toInitialize(params: object) {
  return toRequest('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: INFO,
    ...params,
  });
}

function toCall(args: unknown) {
  return toRequest('tools/call', { name: 'search_contacts', arguments: args });
}

function list(item: string, bytes = BYTES): string {
  return `[${Array(Math.max(1, Math.floor(bytes / (item.length + 1))))
    .fill(item)
    .join(',')}]`;
}
