import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Crossbook’s demo, the tickets and the gateway in front of them. Ctrl-C ends all three. */
const { PORT = '4002', API_PORT = '4000', TICKETS_PORT = '4001', SANDBOX_PORT = '4010' } = process.env;
const relayNode = process.argv.includes('--relay-node');
const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
const data = mkdtempSync(join(tmpdir(), 'crossbook-gateway-'));
// Started by root, the embedded database runs as a user of its own, who passes through.
chmodSync(data, 0o711);

if (!existsSync(`${here}node_modules`)) run('npm', ['ci', '--no-audit', '--no-fund', '--prefix', here]);
run(process.execPath, ['build/ensure.mjs']);
const { compose } = await import('./compose.mjs');
const { createGateway } = await import('./gateway.mjs');
const { createTickets, readTicketsSdl } = await import('./tickets.mjs');

const crossbook = spawn('dist/crossbook', {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
  env: {
    ...process.env,
    ...{
      PORT: API_PORT,
      CROSSBOOK_SANDBOX_PORT: SANDBOX_PORT,
      CROSSBOOK_DATA: data,
      LOG_LEVEL: 'error',
    },
  },
});
let isStopped = false;
crossbook.once('close', () => {
  rmSync(data, { recursive: true, force: true });
  process.exit(isStopped ? 0 : 1);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    isStopped = true;
    crossbook.kill('SIGTERM');
  });
}
const welcome = await readWelcome();
const url = `${find(/ready at (\S+)/)}/graphql`;
const apiKey = find(/API key +(\S+)/);

const ticketsSdl = readTicketsSdl({ relayNode });
const tickets = await listen(createTickets(ticketsSdl), TICKETS_PORT);
const options = ['schema', 'print', '--subgraph', ...(relayNode ? ['--relay-node'] : [])];
const supergraph = await compose('hive', [
  { name: 'crossbook', url, sdl: run('dist/crossbook', options) },
  { name: 'tickets', url: tickets, sdl: ticketsSdl },
]);
const backOffice = randomBytes(12).toString('hex');
const gateway = await listen(createGateway({ supergraph, apiKey, backOffice }), PORT);
process.stdout.write(`
  The gateway is ready at ${gateway}

  curl ${gateway} -H 'content-type: application/json' -H 'authorization: Bearer ${backOffice}' \\
    -d '{"query":"{ tickets { subject customer { name } requester { contacts(first: 1) { firstName lastName } } } }"}'

  Ctrl-C ends it.
`);

function readWelcome() {
  let printed = '';
  return new Promise((resolve) => {
    crossbook.stdout.on('data', (text) => {
      printed += text;
      if (/curl[\s\S]*-d '.*'\n/.test(printed)) resolve(printed);
    });
  });
}

function find(pattern) {
  const found = pattern.exec(welcome)?.[1];
  if (found === undefined) throw new Error(`Crossbook’s start does not say ${pattern}:\n${welcome}`);
  return found;
}

async function listen(server, port) {
  server.listen(Number(port), '127.0.0.1');
  await once(server, 'listening');
  return `http://localhost:${server.address().port}/graphql`;
}

function run(command, args) {
  const { status, stdout } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) process.exit(status ?? 1);
  return stdout;
}
