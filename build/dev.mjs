import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { productOptions } from './build.mjs';
import { buildConsole } from './console.mjs';
import { bundlePackages } from './dev-packages.mjs';
import { buildGuides } from './guides.mjs';
import { readFlags } from './launcher.mjs';

/**
 * `npm run dev`: builds what has changed, apart from `dist`, and restarts the product. The embedded database
 * belongs to this process and keeps running, so the product can be killed: acknowledged writes are on disk.
 */
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');
const folder = `${root}/node_modules/.cache/crossbook-dev`;
const { minifySyntax, minifyWhitespace, plugins, ...options } = productOptions(root);
const written = { ...options, write: true };
let product;
let soon;
let working = Promise.resolve();

mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/package.json`, JSON.stringify({ type: 'module', version: 'dev' }));
const database = process.env.DATABASE_URL ? undefined : await startDatabase();
const context = await esbuild.context({
  ...written,
  outdir: `${folder}/dist`,
  plugins: [bundlePackages(written, folder)],
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void end());
writeFiles(buildGuides(root).files);
await rebuild();
// esbuild's own watcher polls the files, which takes up to two seconds.
for (const sources of ['src', 'packages'])
  watch(`${root}/${sources}`, { recursive: true }, () => {
    clearTimeout(soon);
    soon = setTimeout(() => void rebuild(), 20);
  });

/** One build at a time. After a failed build the previous one keeps running; esbuild has printed the error. */
function rebuild() {
  const since = performance.now();
  working = working
    .then(() => Promise.all([context.rebuild(), buildConsole(root)]))
    .then(([, { files }]) => {
      rmSync(`${folder}/dist/console`, { recursive: true, force: true });
      writeFiles(files);
    })
    .then(() => restart(since))
    .catch(() => undefined);
  return working;
}

function writeFiles(files) {
  mkdirSync(`${folder}/dist/console`, { recursive: true });
  for (const { name, contents } of files) writeFileSync(`${folder}/dist/${name}`, contents);
}

async function restart(since) {
  await stop('SIGKILL');
  product = spawn(process.execPath, [...readFlags(), `${folder}/dist/main.js`], {
    cwd: root,
    // Without a database of the developer's own, the sandbox is on, as in `npm start`.
    env: database
      ? { CROSSBOOK_SANDBOX: 'on', ...process.env, DATABASE_URL: database.url }
      : process.env,
    stdio: 'inherit',
    // Ctrl-C is forwarded below, once.
    detached: true,
  });
  process.stderr.write(`  Started ${Math.round(performance.now() - since)} ms after the change.\n`);
}

async function stop(signal) {
  if (!product || product.exitCode !== null || product.signalCode !== null) return;
  const ended = once(product, 'exit');
  product.kill(signal);
  await ended;
}

async function end() {
  await context.dispose();
  await stop('SIGTERM');
  await database?.close();
  process.exit();
}

async function startDatabase() {
  const outfile = `${folder}/embedded.mjs`;
  await esbuild.build({
    ...written,
    entryPoints: ['src/storage/embedded-server.ts'],
    splitting: false,
    outdir: undefined,
    outfile,
  });
  const { startEmbeddedServer } = await import(pathToFileURL(outfile).href);
  return startEmbeddedServer({ directory: `${process.env.CROSSBOOK_DATA || '.crossbook'}/data` });
}
