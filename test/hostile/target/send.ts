import { Agent, request } from 'node:http';
import { constants, gunzipSync } from 'node:zlib';

/**
 * Sends one request over a real socket, and reads the response up to a maximum: anything larger is a finding
 * already.
 */
export function send(url: string, message: HttpRequest): Promise<Received> {
  const { method = 'POST', path = '/graphql', headers = {}, body, from } = message;
  return new Promise((resolve, reject) => {
    const sentAt = performance.now();
    const outgoing = request(new URL(path, url), {
      agent: AGENT,
      method,
      headers,
      ...(from !== undefined && { localAddress: from }),
    });
    outgoing.once('error', reject);
    outgoing.setTimeout(PATIENCE_MS, () => outgoing.destroy(new Error('No answer came.')));
    outgoing.once('response', (incoming) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      const done = () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          bytes,
          text: unpack(Buffer.concat(chunks), incoming.headers['content-encoding']).toString(),
          tookMs: performance.now() - sentAt,
        });
      incoming.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= MOST_BYTES) chunks.push(chunk);
        else {
          done();
          incoming.destroy();
        }
      });
      incoming.once('error', reject);
      incoming.once('end', done);
    });
    outgoing.end(body);
  });
}

function unpack(body: Buffer, encoding: string | undefined): Buffer {
  return encoding === 'gzip' ? gunzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH }) : body;
}

/** A GraphQL operation, or a batch of them, as JSON. */
export function toGraphQL(operation: unknown, headers: Headers = {}): HttpRequest {
  return { headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(operation) };
}

/** The same by GET. */
export function toGet(
  { query, variables, operationName }: Operation,
  headers: Headers = {},
): HttpRequest {
  const parameters = new URLSearchParams({
    query,
    ...(variables !== undefined && { variables: JSON.stringify(variables) }),
    ...(operationName !== undefined && { operationName }),
  });
  return { method: 'GET', path: `/graphql?${parameters}`, headers: { accept: ACCEPT, ...headers } };
}

/** The address of another client, with separate per-address limits. */
export const ELSEWHERE = '127.0.0.2';

/** With this media type the HTTP status reflects the outcome of the operation. */
const ACCEPT = 'application/graphql-response+json';
const JSON_HEADERS = { 'content-type': 'application/json', accept: ACCEPT };
const AGENT = new Agent({ keepAlive: true, timeout: 60_000 });
const MOST_BYTES = 48 * 1024 * 1024;
const PATIENCE_MS = 60_000;

export type Headers = Readonly<Record<string, string>>;

export interface HttpRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Headers;
  readonly body?: string | Buffer;
  /** The loopback address to send from. */
  readonly from?: string;
}

export interface Operation {
  readonly query: string;
  readonly variables?: unknown;
  readonly operationName?: string;
  readonly extensions?: unknown;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly bytes: number;
  readonly text: string;
  readonly tookMs: number;
}
