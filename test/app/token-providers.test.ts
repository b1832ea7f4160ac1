import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askMcp } from '../mcp/ask-mcp.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';

let crossbook: TestApp;
let headers: Record<string, string>;
let salesforceId: string;
beforeAll(async () => {
  crossbook = await openApp();
  const issue =
    'mutation ($input: IssueCustomerTokenInput!) { issueCustomerToken(input: $input) { token } }';
  const { data } = await crossbook.execute(issue, {
    input: { customerId: 'demo', providers: ['HUBSPOT'] },
  });
  headers = { authorization: `Bearer ${data.issueCustomerToken.token}` };
  const { data: all } = await crossbook.execute(
    '{ customer(customerId: "demo") { connections { id providerName } } }',
  );
  salesforceId = all.customer.connections.find(
    ({ providerName }: { providerName: string }) => providerName === 'SALESFORCE',
  ).id;
});
afterAll(() => crossbook.close());

/** With the token alone. */
async function ask(method: string, path: string, body?: object): Promise<Asked> {
  const init = {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  };
  const request = new Request(`http://crossbook.test${path}`, init);
  const response = await toFetch(crossbook.app.answer)(request);
  return { status: response.status, body: await response.json() };
}

interface Asked {
  readonly status: number;
  readonly body: Json;
}

describe('A customer token for one provider', () => {
  test('shows the customer without the connections to others', async () => {
    const query =
      'query ($id: ID!) { customer { connections { providerName } } node(id: $id) { id } }';
    const variables = { id: salesforceId };
    const { body: shown } = await ask('POST', '/graphql', { query, variables });
    expect(shown.data).toEqual({
      customer: { connections: [{ providerName: 'HUBSPOT' }] },
      node: null,
    });
    const { body } = await ask('GET', '/customers/demo');
    expect(
      body.connections.map(({ provider_name }: { provider_name: string }) => provider_name),
    ).toEqual(['hubspot']);
  });

  test.each(['provider_fields/contact', 'custom_field_mappings/contact', 'mapping_problems'])(
    'is refused the %s of another',
    async (what) => {
      const statusOf = async (provider: string) =>
        (await ask('GET', `/customers/demo/connections/${provider}/${what}`)).status;
      expect(await statusOf('hubspot')).toBe(200);
      expect(await statusOf('salesforce')).toBe(403);
    },
  );

  test('lists one connection to an agent', async () => {
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_connections', arguments: {} },
    };
    const { body } = await askMcp(crossbook, { headers, message });
    expect(body.result.structuredContent.connections).toMatchObject([{ providerName: 'hubspot' }]);
  });
});
