import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The api on loopback, for what needs a real port. */
export async function serve(rest: { fetch(request: Request): Promise<Response> }): Promise<Served> {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', async () => {
      const headers = Object.entries(incoming.headers).map(
        ([name, value]) => [name, String(value)] as [string, string],
      );
      const method = incoming.method ?? 'GET';
      const body = ['GET', 'HEAD'].includes(method) ? {} : { body: Buffer.concat(chunks) };
      const url = `http://${incoming.headers.host}${incoming.url}`;
      const response = await rest.fetch(new Request(url, { method, headers, ...body }));
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface Served {
  readonly origin: string;
  close(): void;
}
