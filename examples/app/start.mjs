import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onEnd, startCrossbook } from '../start-crossbook.mjs';

/**
 * Starts the app with everything that it needs: Crossbook with its sandbox, the backend, and Vite in front of both.
 */
const {
  APP_PORT = '5173',
  BACKEND_PORT = '0',
  API_PORT = '4000',
  SANDBOX_PORT = '4010',
} = process.env;
const { TOKEN_SECONDS = '900' } = process.env;
const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

if (!existsSync(`${here}node_modules`))
  run('npm', ['ci', '--no-audit', '--no-fund', '--prefix', here]);
run(process.execPath, ['build/ensure.mjs']);
if (!existsSync(`${root}dist/client/index.js`)) run(process.execPath, ['build/client.mjs']);

/** @type {(() => unknown)[]} */
const atEnd = [];
/** @type {Promise<void> | undefined} */
let ending;
onEnd(() => end(0));

try {
  await start();
} catch (error) {
  if (!ending) process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  await end(1);
}

async function start() {
  const origin = `http://localhost:${APP_PORT}`;
  const crossbook = startCrossbook({ apiPort: API_PORT, sandboxPort: SANDBOX_PORT });
  atEnd.push(crossbook.stop);
  crossbook.ended.then(() => end(1));
  const { url, apiKey, sandbox } = await crossbook.ready;
  // Pages on the usual development ports are allowed in the demo by default; any other port has to be added.
  crossbook.command('apps', 'origins', 'Demo application', '--add', origin);

  const { openBackend } = await import('./server/backend.mjs');
  const backend = await openBackend({
    url,
    apiKey,
    sandbox,
    origin,
    tokenSeconds: Number(TOKEN_SECONDS),
  });
  backend.listen(Number(BACKEND_PORT), '127.0.0.1');
  atEnd.push(() => backend.close());
  await once(backend, 'listening');

  const page = await openPage(
    /** @type {import('node:net').AddressInfo} */ (backend.address()).port,
  );
  atEnd.push(() => page.close());
  process.stdout.write(
    `\n  The app is ready at ${origin}\n  Crossbook        at ${url}\n\n  Ctrl-C ends both.\n`,
  );
}

/**
 * Proxies the backend at the page's own origin, as in production.
 * @param {number} backendPort
 */
async function openPage(backendPort) {
  const vite = await import('vite');
  const proxy = { '/api': `http://127.0.0.1:${backendPort}` };
  const listener = { host: '127.0.0.1', port: Number(APP_PORT), strictPort: true, proxy };
  /** @type {import('vite').InlineConfig} */
  const config = {
    root: here,
    logLevel: 'warn',
    clearScreen: false,
    server: listener,
    preview: listener,
  };
  if (process.argv.includes('--dev')) return (await vite.createServer(config)).listen();
  await vite.build(config);
  return vite.preview(config);
}

/**
 * Stops everything in reverse order of its start. A second signal waits for the same shutdown.
 * @param {number} code
 */
function end(code) {
  ending ??= (async () => {
    for (const stop of atEnd.reverse()) await stop();
    process.exit(code);
  })();
  return ending;
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
