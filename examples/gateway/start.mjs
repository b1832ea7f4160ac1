import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { onEnd, startCrossbook } from '../start-crossbook.mjs';
import { prepare } from './prepare.mjs';

/** Crossbook’s demo, the tickets subgraph and the gateway in front of them. Ctrl-C ends all three. */
const {
  PORT = '4002',
  API_PORT = '4000',
  TICKETS_PORT = '4001',
  SANDBOX_PORT = '4010',
} = process.env;
const { CROSSBOOK_GRAPHQL_TYPE_PREFIX: typePrefix = '' } = process.env;
const { relayNode, isApollo } = readOptions();
await requireFree({ PORT, API_PORT, TICKETS_PORT, SANDBOX_PORT });

// Apollo’s many packages are in a directory of their own.
prepare(...(isApollo ? ['apollo'] : []));
const { compose } = await import('./compose.mjs');
const { createGateway } = await import('./gateway.mjs');
const { startApolloGateway } = isApollo ? await import('./apollo/gateway.mjs') : {};
const { createTickets, readTicketsSdl } = await import('./tickets.mjs');

const crossbook = startCrossbook({
  apiPort: API_PORT,
  sandboxPort: SANDBOX_PORT,
  settings: Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name.startsWith('CROSSBOOK_')),
  ),
});
let isStopped = false;
crossbook.ended.then(() => process.exit(isStopped ? 0 : 1));
onEnd(() => {
  isStopped = true;
  crossbook.stop();
});
try {
  await start();
} catch (error) {
  if (!isStopped) process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  crossbook.stop();
}

async function start() {
  const { url, apiKey } = await crossbook.ready;

  const ticketsSdl = readTicketsSdl({ relayNode, typePrefix });
  const tickets = await listen(createTickets({ relayNode, typePrefix }), TICKETS_PORT);
  const print = ['schema', 'print', '--subgraph', ...(relayNode ? ['--relay-node'] : [])];
  const supergraph = await compose(isApollo ? 'apollo' : 'hive', [
    { name: 'crossbook', url: `${url}/graphql`, sdl: crossbook.command(...print) },
    { name: 'tickets', url: tickets, sdl: ticketsSdl },
  ]);
  const backOffice = randomBytes(12).toString('hex');
  const options = { supergraph, apiKey, backOffice };
  const gateway = isApollo
    ? await startApolloGateway({ ...options, port: PORT })
    : await listen(createGateway(options), PORT);
  process.stdout.write(`
  The gateway is ready at ${gateway}

  curl ${gateway} -H 'content-type: application/json' -H 'authorization: Bearer ${backOffice}' \\
    -d '{"query":"{ tickets { subject customer { name } requester { contacts(first: 1) { firstName lastName } } } }"}'

  Ctrl-C ends it.
`);
}

async function listen(server, port) {
  server.listen(Number(port), '127.0.0.1');
  await once(server, 'listening');
  return `http://localhost:${server.address().port}/graphql`;
}

function readOptions() {
  try {
    const options = { apollo: { type: 'boolean' }, 'relay-node': { type: 'boolean' } };
    const { values } = parseArgs({ options });
    return { isApollo: values.apollo === true, relayNode: values['relay-node'] === true };
  } catch (error) {
    return end(`${error.message}\nThe options are --apollo and --relay-node.`, 2);
  }
}

/** Ends before anything is installed or started if a port is in use, with the name of the variable that moves it. */
async function requireFree(ports) {
  for (const [name, port] of Object.entries(ports)) {
    const server = createServer().listen(Number(port), '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      end(`Port ${port} cannot be used (${error.code}). Set ${name} to another port.`, 1);
    }
    server.close();
    await once(server, 'close');
  }
}

function end(message, code) {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
