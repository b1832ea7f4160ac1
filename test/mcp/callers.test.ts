import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CallersApp, ORIGINS, openCallers } from '../app/open-callers.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { askMcp, callTool, toCall } from './ask-mcp.ts';

const ADA = { filter: { email: 'ada@example.com' } };
const SEARCH = toCall('search_contacts', ADA);

let app: CallersApp;
beforeAll(async () => {
  app = await openCallers({
    mcp: { allowsKeys: true, writes: false, text: true, issuer: undefined },
  });
});
afterAll(() => app.close());

const as = (caller: string) => app.callers[caller] ?? app.refused[caller] ?? {};
const ask = (caller: string, message: object, headers = {}) =>
  askMcp(app.crossbook, { headers: { ...as(caller), ...headers }, message });

describe('Customers are kept apart', () => {
  test('500 calls of two customers of two applications, mixed: none sees data of the other', async () => {
    const calls = [
      ['token', 'search_contacts', ADA],
      ['siblingToken', 'search_contacts', ADA],
      ['otherToken', 'search_contacts', ADA],
      ['token', 'list_connections', {}],
      ['otherToken', 'list_connections', {}],
    ] as const;
    const seen = await Promise.all(
      Array.from({ length: 500 }, async (_, index) => {
        const [caller = '', tool = '', args] = calls[index % calls.length] ?? [];
        const { structuredContent } = await callTool(app.crossbook, as(caller), tool, args);
        const { results, connections } = structuredContent;
        const names = (results ?? connections).map(
          (one: { provider?: string; providerName?: string }) => one.provider ?? one.providerName,
        );
        return `${caller} ${tool}: ${names.sort().join(' ')}`;
      }),
    );
    expect([...new Set(seen)].sort()).toEqual([
      'otherToken list_connections: ',
      'otherToken search_contacts: ',
      'siblingToken search_contacts: hubspot',
      'token list_connections: hubspot salesforce zendesk_sell',
      'token search_contacts: hubspot salesforce',
    ]);
  });

  test('a token restricted to one provider sees that one only', async () => {
    const call = (tool: string, args = {}) =>
      callTool(app.crossbook, as('narrowToken'), tool, args);
    const { results } = (await call('search_contacts', ADA)).structuredContent;
    expect(results.map((one: { provider: string }) => one.provider)).toEqual(['hubspot']);
    const { connections } = (await call('list_connections')).structuredContent;
    expect(connections).toMatchObject([{ providerName: 'hubspot' }]);
    const named = await call('search_contacts', { ...ADA, provider: 'salesforce' });
    expect(named).toMatchObject({ isError: true, structuredContent: { error: { status: '403' } } });
    const fields = await call('list_contact_fields', { provider: 'salesforce' });
    expect(fields).toMatchObject({ structuredContent: { error: { status: '403' } } });
    const read = await call('get_contact', { provider: 'salesforce', remoteId: '003' });
    expect(read).toMatchObject({ isError: true, structuredContent: { error: { status: '403' } } });
  });

  test('a token names no other customer, and another application’s customer does not exist for a key', async () => {
    const search = (caller: string, customerId: string) =>
      callTool(app.crossbook, as(caller), 'search_contacts', { ...ADA, customerId });
    const status = async (caller: string, customerId: string) =>
      (await search(caller, customerId)).structuredContent.error?.status;
    expect(await status('token', 'sibling')).toBe('403');
    expect(await status('token', 'theirs')).toBe('403');
    expect(await status('otherToken', 'demo')).toBe('403');
    expect(await status('otherKey', 'demo')).toBe('404');
    expect(await status('key', 'theirs')).toBe('404');
    expect(await status('key', 'demo')).toBeUndefined();
  });

  test('a cursor of one customer is invalid for another', async () => {
    const search = (caller: string, more = {}) =>
      callTool(app.crossbook, as(caller), 'search_contacts', {
        filter: { emailDomain: 'example.com' },
        provider: 'hubspot',
        first: 1,
        ...more,
      });
    const { next } = (await search('token')).structuredContent.results[0];
    expect((await search('token', { after: next })).isError).toBeUndefined();
    const { error } = (await search('siblingToken', { after: next })).structuredContent;
    expect(error).toMatchObject({ status: '400' });
  });
});

describe('Callers', () => {
  test('every invalid credential is 401 with a plain challenge', async () => {
    for (const caller of Object.keys(app.refused)) {
      const { status, headers, body } = await ask(caller, SEARCH);
      expect([status, headers.get('www-authenticate')], caller).toEqual([401, 'Bearer']);
      expect(body, caller).toMatchObject({
        jsonrpc: '2.0',
        id: null,
        error: { message: expect.any(String), data: { code: 'UNAUTHORIZED', status: '401' } },
      });
    }
  });

  test('a token in the URL is 401, and its text is in no log', async () => {
    const token = (as('token')['authorization'] ?? '').replace('Bearer ', '');
    for (const parameter of ['access_token', 'token', 'authorization']) {
      const path = `/mcp?${parameter}=${token}`;
      const { status } = await askMcp(app.crossbook, { path, message: SEARCH });
      expect(status, parameter).toBe(401);
    }
    expect(app.crossbook.log.join('')).not.toContain(token);
  });

  test('the origin of a page must be registered for the caller’s application', async () => {
    const from = async (caller: string, origin: string) =>
      (await ask(caller, SEARCH, { origin })).status;
    expect(await from('token', ORIGINS.demo)).toBe(200);
    expect(await from('token', ORIGINS.other)).toBe(403);
    expect(await from('otherToken', ORIGINS.other)).toBe(200);
    expect(await from('token', 'https://evil.example')).toBe(403);
    expect(await from('token', 'null')).toBe(403);
    expect(await from('none', 'https://evil.example')).toBe(403);
    expect(await from('none', ORIGINS.demo)).toBe(401);
  });

  test('a key has the argument customerId and two more tools; the header x-customer-id is its default', async () => {
    const list = async (caller: string) => {
      const { body } = await ask(caller, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
      return body.result.tools.map((tool: { name: string; inputSchema: object }) => ({
        name: tool.name,
        takesCustomer: 'customerId' in (tool.inputSchema as { properties: object }).properties,
      }));
    };
    expect(await list('token')).toEqual([
      { name: 'search_contacts', takesCustomer: false },
      { name: 'get_contact', takesCustomer: false },
      { name: 'search_companies', takesCustomer: false },
      { name: 'search_deals', takesCustomer: false },
      { name: 'get_record', takesCustomer: false },
      { name: 'list_connections', takesCustomer: false },
      { name: 'list_contact_fields', takesCustomer: false },
    ]);
    expect(await list('key')).toEqual([
      { name: 'search_contacts', takesCustomer: true },
      { name: 'get_contact', takesCustomer: true },
      { name: 'search_companies', takesCustomer: true },
      { name: 'search_deals', takesCustomer: true },
      { name: 'get_record', takesCustomer: true },
      { name: 'list_connections', takesCustomer: true },
      { name: 'list_contact_fields', takesCustomer: true },
      { name: 'list_customers', takesCustomer: false },
      { name: 'create_connect_link', takesCustomer: true },
    ]);
    const named = { ...as('key'), 'x-customer-id': 'sibling' };
    const { results } = (await callTool(app.crossbook, named, 'search_contacts', ADA))
      .structuredContent;
    expect(results).toMatchObject([{ provider: 'hubspot' }]);
  });

  test('a token has no tool that takes a key', async () => {
    for (const name of ['list_customers', 'create_connect_link']) {
      const { body } = await ask('token', toCall(name, {}));
      expect(body.error, name).toMatchObject({ code: -32_602 });
    }
  });
});

describe('Settings', () => {
  test('a key is 403 in words where keys are not allowed, which is the default', async () => {
    const crossbook = await openApp();
    const { status, body } = await askMcp(crossbook, {
      headers: { 'x-api-key': crossbook.key },
      message: SEARCH,
    });
    expect([status, body.error.message]).toEqual([
      403,
      expect.stringContaining('CROSSBOOK_MCP_KEYS=on'),
    ]);
    await crossbook.close();
  });

  test('where the server is off there is no route', async () => {
    const crossbook = await openApp({ mcp: undefined });
    for (const method of ['GET', 'POST']) {
      const path = '/mcp';
      const headers = { 'x-api-key': crossbook.key };
      const { status } = await askMcp(crossbook, {
        headers,
        path,
        method,
        ...(method === 'POST' && { message: SEARCH }),
      });
      expect(status, method).toBe(404);
    }
    await crossbook.close();
  });

  test('metadata of an authorization server is served only where the operator names one', async () => {
    const path = '/.well-known/oauth-protected-resource/mcp';
    expect((await askMcp(app.crossbook, { path, method: 'GET' })).status).toBe(404);
    const issuer = 'https://login.example';
    const crossbook: TestApp = await openApp({
      publicUrl: 'https://crossbook.example',
      mcp: { allowsKeys: false, writes: false, text: true, issuer },
    });
    const { status, body } = await askMcp(crossbook, { path, method: 'GET' });
    expect([status, body]).toEqual([
      200,
      {
        resource: 'https://crossbook.example/mcp',
        resource_name: 'Crossbook',
        authorization_servers: [issuer],
        bearer_methods_supported: ['header'],
      },
    ]);
    const refused = await askMcp(crossbook, { message: SEARCH });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      `Bearer resource_metadata="https://crossbook.example${path}"`,
    ]);
    await crossbook.close();
  });
});
