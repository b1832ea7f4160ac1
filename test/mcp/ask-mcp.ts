import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationOptions,
} from '@modelcontextprotocol/client';
import type { Json, TestApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';

export const URL_OF_MCP = 'http://crossbook.test/mcp';
const ME = { name: 'test', version: '1' };

/** A message as the newest clients send it, without a client. */
export async function askMcp(
  { app }: Pick<TestApp, 'app'>,
  { headers = {}, path = '/mcp', method = 'POST', ...sent }: Asked,
): Promise<Answered> {
  const body = 'raw' in sent ? sent.raw : JSON.stringify(sent.message);
  const response = await toFetch(app.answer)(
    new Request(`http://crossbook.test${path}`, {
      method,
      headers: {
        accept: 'application/json, text/event-stream',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    }),
  );
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: data === '' ? undefined : JSON.parse(data),
  };
}

/** Calls a tool, without a client. */
export async function callTool(
  crossbook: Pick<TestApp, 'app'>,
  headers: Record<string, string>,
  name: string,
  args: unknown = {},
): Promise<Json> {
  const { body } = await askMcp(crossbook, { headers, message: toCall(name, args) });
  return body.result ?? body;
}

export function toCall(name: string, args: unknown) {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
}

/** The official client, version 2. */
export async function openClient(
  { app }: Pick<TestApp, 'app'>,
  headers: Record<string, string>,
  versionNegotiation: VersionNegotiationOptions = {},
) {
  const client = new Client(ME, { versionNegotiation });
  const transport = new StreamableHTTPClientTransport(new URL(URL_OF_MCP), {
    fetch: toClientFetch(app),
    requestInit: { headers },
  });
  await client.connect(transport);
  return client;
}

export function toClientFetch(app: TestApp['app']) {
  const ask = toFetch(app.answer);
  return (url: string | URL, init?: RequestInit) => ask(new Request(url, init));
}

type Asked = {
  readonly headers?: Record<string, string>;
  readonly path?: string;
  readonly method?: string;
} & ({ readonly message?: unknown } | { readonly raw: string });

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json;
}
