import { afterAll, beforeAll, expect, test } from 'vitest';
import { SEARCHABLE_PROVIDERS } from '../../src/domain/provider-names.ts';
import { createRegistry } from '../../src/providers/registry.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { callTool, openClient } from './ask-mcp.ts';

let crossbook: TestApp;
let headers: Record<string, string>;
beforeAll(async () => {
  crossbook = await openApp();
  headers = { authorization: `Bearer ${crossbook.app.agentToken}` };
});
afterAll(() => crossbook.close());

test('a result has its structured content as JSON text as well, for clients that give only text to their model', async () => {
  const client = await openClient(crossbook, headers);
  const search = { name: 'search_contacts', arguments: { filter: { email: 'ada@example.com' } } };
  const { content, structuredContent } = await client.callTool(search);
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
  expect(JSON.stringify(content)).toContain('Lovelace');
  const { content: failed, structuredContent: error } = await client.callTool({
    ...search,
    arguments: {},
  });
  expect(failed).toEqual([{ type: 'text', text: JSON.stringify(error) }]);
  await client.close();
});

test('the token of the demo lists contacts by name', async () => {
  const filter = { namePrefix: 'love' };
  const { structuredContent } = await callTool(crossbook, headers, 'search_contacts', { filter });
  expect(JSON.stringify(structuredContent)).toContain('Lovelace');
});

test('tools/list names only providers whose contacts can be searched, and is small', async () => {
  const client = await openClient(crossbook, headers);
  const { tools } = await client.listTools();
  const text = JSON.stringify(tools);
  expect(text).toContain('hubspot');
  expect(text).not.toContain('zendesk_sell');
  expect(text.length).toBeLessThan(29_000);
  await client.close();
});

test('the searchable providers are those of which there is an adapter', () => {
  const searchable = [...createRegistry().values()].filter(({ crm }) => crm);
  expect(searchable.map(({ name }) => name).sort()).toEqual([...SEARCHABLE_PROVIDERS].sort());
});

test('where a customer has several CRMs, a tool for one of them says which there are', async () => {
  const { isError, structuredContent } = await callTool(crossbook, headers, 'list_contact_fields');
  expect([isError, structuredContent.error.detail]).toEqual([
    true,
    expect.stringMatching(/^The customer has connected (hubspot|salesforce) and .*: pass one of/),
  ]);
});
