import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEVELOPMENT_ORIGINS } from '../../src/domain/caller.ts';

/** Serves a page with this script at one of the origins that the demo allows, or at one that it does not. */
export async function openPageServer(
  script: string,
  { isAllowed = true }: { readonly isAllowed?: boolean } = {},
): Promise<PageServer> {
  const ports = isAllowed ? DEVELOPMENT_ORIGINS.map((origin) => Number(new URL(origin).port)) : [0];
  const server = await listenOn(ports, script);
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    close: () => server.close(),
  };
}

/** At the first of these ports that is free. */
async function listenOn([port, ...others]: readonly number[], script: string): Promise<Server> {
  const server = createServer(({ url }, response) => {
    const [type, body] = url === '/frontend.js' ? ['text/javascript', script] : ['text/html', PAGE];
    response.setHeader('content-type', type).end(body);
  }).listen(port, 'localhost');
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if (others.length === 0) throw error;
    return listenOn(others, script);
  }
}

const PAGE = '<!doctype html><title>A frontend</title><script src="/frontend.js"></script>';

export interface PageServer {
  readonly url: string;
  close(): void;
}
