import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onEnd, startCrossbook } from './start-crossbook.mjs';

/** `npm run example:app`: this repository's Crossbook with its sandbox, and the example app in front of it. */
const { APP_PORT = '5173', API_PORT = '4000', SANDBOX_PORT = '4010', TOKEN_SECONDS } = process.env;
const root = fileURLToPath(new URL('..', import.meta.url));
const app = `${root}examples/app`;

if (!existsSync(`${app}/node_modules`))
  run('npm', ['ci', '--no-audit', '--no-fund', '--prefix', app]);
run(process.execPath, ['build/ensure.mjs']);
if (!existsSync(`${root}dist/client/index.js`)) run(process.execPath, ['build/client.mjs']);
// Elsewhere it is installed as a package: see the README of the app.
cpSync(`${root}dist/client`, `${app}/node_modules/crossbook-client`, {
  recursive: true,
  filter: (from, to) => !isCopied(from, to),
});

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
  const crossbook = startCrossbook({ apiPort: API_PORT, sandboxPort: SANDBOX_PORT });
  atEnd.push(crossbook.stop);
  crossbook.ended.then(() => end(1));
  const { url, apiKey, sandbox } = await crossbook.ready;
  // Pages on the usual development ports are allowed in the demo by default; any other port has to be added.
  const origin = `http://localhost:${APP_PORT}`;
  crossbook.command('apps', 'origins', 'Demo application', '--add', origin);

  const { startApp } = await import('./app/server/start-app.mjs');
  const started = await startApp({
    url,
    apiKey,
    sandbox,
    port: APP_PORT,
    tokenSeconds: TOKEN_SECONDS,
    isDevelopment: process.argv.includes('--dev'),
  });
  atEnd.push(started.close);
  process.stdout.write(
    `\n  The app is ready at ${started.origin}\n  Crossbook        at ${url}\n\n  Ctrl-C ends both.\n`,
  );
}

/**
 * Whether the file is there already: it is not written again while another start may read it.
 * @param {string} from
 * @param {string} to
 */
function isCopied(from, to) {
  return statSync(from).isFile() && existsSync(to) && readFileSync(from).equals(readFileSync(to));
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
