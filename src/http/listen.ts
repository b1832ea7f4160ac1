import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServerAdapter } from '@whatwg-node/server';

/** Longer than the idle timeout of usual load balancers, so that it is never us who close a connection in use. */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 30_000;
const MAX_HEADER_BYTES = 16 * 1024;

/** Listens until it is closed; closing lets the requests that run finish. */
export async function listen({ fetch, host, port }: ListenOptions): Promise<Listener> {
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: REQUEST_TIMEOUT_MS },
    createServerAdapter(fetch),
  );
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return { url: toUrl(server.address() as AddressInfo, host), close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeIdleConnections();
  });
}

function toUrl({ port }: AddressInfo, host: string): string {
  const shown = ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host) ? 'localhost' : host;
  return `http://${shown}:${port}`;
}

export interface Listener {
  readonly url: string;
  close(): Promise<void>;
}

interface ListenOptions {
  readonly fetch: (request: Request) => Promise<Response> | Response;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}
