import { type Expectation, type Row, rest, row } from '../row.ts';

const ACCEPT = 'application/json, text/event-stream';
const headers = { accept: ACCEPT, 'x-provider-name': undefined, 'x-customer-id': undefined };
const ask = (message: object, more: Record<string, string> = {}, as?: 'token' | 'key' | 'nobody') =>
  rest('POST /mcp', message, { headers: { ...headers, ...more }, as: as ?? 'token' });
const call = (name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const ADA = call('search_contacts', { filter: { email: 'ada@example.com' } });
/** Before a tool runs, errors are those of JSON-RPC. */
const refused = (status: number, code: string): Expectation => ({
  status,
  body: { jsonrpc: '2.0', error: { data: { status: String(status), code } } },
});

/** The contract of the MCP server. */
export const AGENT_ROWS: readonly Row[] = [
  row('§15', 'An agent with a customer token searches all CRMs of the customer', ask(ADA), {
    status: 200,
    body: (body) => /"provider":"hubspot".*"provider":"salesforce"/s.test(JSON.stringify(body)),
    calls: { hubspot: 1, salesforce: 1 },
  }),
  row('§15', 'The text of a result is its structured content as JSON', ask(ADA), {
    body: ({ result }) =>
      JSON.stringify(JSON.parse(result.content[0].text)) ===
      JSON.stringify(result.structuredContent),
  }),
  row('§15', 'A customer token has no tool that takes an API key', ask(LIST), {
    body: (body) =>
      JSON.stringify(body).includes('search_contacts') &&
      !JSON.stringify(body).includes('create_connect_link'),
  }),
  row(
    '§15',
    'A CRM that cannot be searched is an error of the tool',
    ask(call('search_contacts', { provider: 'zendesk_sell', filter: { email: 'a@b.example' } })),
    {
      status: 200,
      body: (body) => /NOT_IMPLEMENTED.*"isError":true/s.test(JSON.stringify(body)),
    },
  ),
  row('§15', 'An API key is refused by default', ask(LIST, {}, 'key'), refused(403, 'FORBIDDEN')),
  row('§15', 'Without credentials the challenge is a plain Bearer', ask(LIST, {}, 'nobody'), {
    ...refused(401, 'UNAUTHORIZED'),
    headers: { 'www-authenticate': 'Bearer' },
  }),
  row(
    '§15',
    'An origin that the application has not registered is refused',
    ask(LIST, { origin: 'https://evil.example' }),
    refused(403, 'FORBIDDEN'),
  ),
  row('§15', 'The MCP server opens no stream', rest('GET /mcp', undefined, { as: 'token' }), {
    ...refused(405, 'METHOD_NOT_ALLOWED'),
    headers: { allow: 'POST' },
  }),
];
