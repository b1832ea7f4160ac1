import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openClient } from '../../mcp/ask-mcp.ts';
import { type Json, openApp, type TestApp } from '../../support/open-app.ts';
import { openClientV1 } from './open-client-v1.ts';

const ADA = { customerId: 'demo', filter: { email: 'ada@example.com' } };

let crossbook: TestApp;
let headers: Record<string, string>;
beforeAll(async () => {
  crossbook = await openApp({
    mcp: { allowsKeys: true, writes: false, text: true, issuer: undefined },
  });
  headers = { 'x-api-key': crossbook.key };
});
afterAll(() => crossbook.close());

describe.each([
  ['2', openClient],
  ['1', openClientV1],
])('The official TypeScript client, version %s,', (_version, open) => {
  test('lists the tools and calls each', async () => {
    const client = await open(crossbook, headers);
    const { tools } = await client.listTools();
    const found = await client.callTool({ name: 'search_contacts', arguments: ADA });
    const calls: Record<string, object> = {
      search_contacts: ADA,
      get_contact: {
        customerId: 'demo',
        provider: 'hubspot',
        remoteId: readFirstId(found),
        associations: ['company', 'deal'],
      },
      search_companies: { customerId: 'demo', provider: 'hubspot', filter: { namePrefix: 'an' } },
      search_deals: {
        customerId: 'demo',
        provider: 'hubspot',
        filter: { status: 'won' },
        first: 2,
      },
      get_record: {
        customerId: 'demo',
        provider: 'hubspot',
        record: 'contact',
        remoteId: readFirstId(found),
        linked: ['company', 'deal'],
      },
      list_connections: { customerId: 'demo' },
      list_contact_fields: { customerId: 'demo', provider: 'hubspot', customOnly: false },
      list_customers: {},
      create_connect_link: {
        customerId: 'demo',
        providers: ['hubspot'],
        returnUrl: 'http://localhost:3000/connected',
      },
    };
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(calls));
    for (const [name, args] of Object.entries(calls)) {
      // The client validates the result by the output schema.
      const result = await client.callTool({ name, arguments: { ...args } });
      expect(result, name).toMatchObject({ structuredContent: expect.any(Object) });
      expect(result, name).not.toHaveProperty('isError');
    }
    await client.close();
  });

  test('reads the result of a tool that fails', async () => {
    const client = await open(crossbook, headers);
    await client.listTools();
    const result = await client.callTool({
      name: 'search_contacts',
      arguments: {
        customerId: 'demo',
        provider: 'zendesk_sell',
        filter: { email: 'ada@example.com' },
      },
    });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'NOT_IMPLEMENTED', status: '501' } },
    });
    await client.close();
  });
});

/** The id of the first contact of the first CRM. */
function readFirstId(result: Json): string {
  return result.structuredContent.results[0].contacts[0].remoteId;
}
