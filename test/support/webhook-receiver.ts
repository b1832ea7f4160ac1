import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An application's own server, on loopback: it records requests, and responds as configured. */
export async function openReceiver(
  answer: (response: ServerResponse, call: ReceivedCall) => void,
): Promise<Receiver> {
  const calls: ReceivedCall[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const call = { headers: request.headers, body: Buffer.concat(pieces).toString('utf8') };
      calls.push(call);
      answer(response, call);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    calls,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function withStatus(status: number, headers: Record<string, string> = {}) {
  return (response: ServerResponse) =>
    void response.writeHead(status, headers).end('{"secret":"of the answer"}');
}

export interface ReceivedCall {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
  close(): Promise<void>;
}
