import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCrossbook } from '../../src/index.ts';

/**
 * Embeds Crossbook with everything that it opens by itself, sends a request, and closes it. Reports what is left, and ends by
 * itself or never.
 */
const before = countListeners();
const settings = {
  CROSSBOOK_DATA: process.argv[2],
  CROSSBOOK_SANDBOX: 'on',
  CROSSBOOK_SANDBOX_PORT: '0',
  LOG_LEVEL: 'silent',
};
const crossbook = await createCrossbook({ settings });
const during = countListeners();
const server = createServer(crossbook.handle).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
const query = '{ searchContacts(filter: { email: "ada@example.com" }) { nodes { lastName } } }';
const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    'x-api-key': crossbook.demo?.apiKey ?? '',
    'x-customer-id': crossbook.demo?.customerId ?? '',
    'x-provider-name': 'hubspot',
    connection: 'close',
  },
  body: JSON.stringify({ query }),
});
const answer = await response.json();
server.close();
await crossbook.close();
process.on('exit', () => {
  const resources = process.getActiveResourcesInfo().filter((name) => !/^(Pipe|TTY)/.test(name));
  process.stdout.write(JSON.stringify({ answer, before, during, resources }));
});

function countListeners(): Readonly<Record<string, number>> {
  return Object.fromEntries(
    process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
  );
}
