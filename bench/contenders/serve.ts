import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startWorker } from '../support/worker.ts';
import { createHubSpot, type HubSpot } from './hubspot.ts';

/** HubSpot's origin and token from the command line: `contender.js ORIGIN TOKEN`. */
export function hubSpotOfArguments(): HubSpot {
  const [origin = '', token = ''] = process.argv.slice(2);
  return createHubSpot({ origin, token });
}

export function serve(listener: RequestListener): void {
  const server = createServer(listener);
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => ready((server.address() as AddressInfo).port));
}

export function ready(port: number): void {
  startWorker({ url: `http://127.0.0.1:${port}` } satisfies ContenderReady);
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
  });
}

export function send(response: ServerResponse, body: string | Buffer): void {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(200, headers).end(body);
}

export interface ContenderReady {
  readonly url: string;
}
