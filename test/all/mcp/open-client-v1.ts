import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { toClientFetch, URL_OF_MCP } from '../../mcp/ask-mcp.ts';
import type { TestApp } from '../../support/open-app.ts';

/** The official client, version 1. */
export async function openClientV1({ app }: Pick<TestApp, 'app'>, headers: Record<string, string>) {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(URL_OF_MCP), {
    fetch: toClientFetch(app),
    requestInit: { headers },
  });
  await client.connect(transport as never);
  return client;
}
