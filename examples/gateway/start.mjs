import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onEnd, startCrossbook } from '../start-crossbook.mjs';

/** Crossbook’s demo, the tickets subgraph and the gateway in front of them. Ctrl-C ends all three. */
const {
  PORT = '4002',
  API_PORT = '4000',
  TICKETS_PORT = '4001',
  SANDBOX_PORT = '4010',
} = process.env;
const relayNode = process.argv.includes('--relay-node');
const isApollo = process.argv.includes('--apollo');
const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

// Apollo’s many packages are in a directory of their own.
for (const folder of [here, ...(isApollo ? [`${here}apollo/`] : [])]) {
  if (!existsSync(`${folder}node_modules`))
    run('npm', ['ci', '--no-audit', '--no-fund', '--prefix', folder]);
}
run(process.execPath, ['build/ensure.mjs']);
const { compose } = await import('./compose.mjs');
const { createGateway } = await import('./gateway.mjs');
const { startApolloGateway } = isApollo ? await import('./apollo/gateway.mjs') : {};
const { createTickets, readTicketsSdl } = await import('./tickets.mjs');

const crossbook = startCrossbook({ apiPort: API_PORT, sandboxPort: SANDBOX_PORT });
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

  const ticketsSdl = readTicketsSdl({ relayNode });
  const tickets = await listen(createTickets(ticketsSdl), TICKETS_PORT);
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

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
