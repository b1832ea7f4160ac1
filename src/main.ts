#!/usr/bin/env node
import { DATA_DIRECTORY, toDatabaseDirectory, useCompileCache } from './lib/data-directory.ts';
import { readEnvFile } from './lib/env-file.ts';
import { toReason } from './lib/output.ts';
import { readVersion } from './version.ts';

/**
 * The entry point of the process. Without a command it serves. It imports almost nothing, so that the embedded
 * database starts while the rest is loading.
 */
const env = process.env;
const args = process.argv.slice(2);
// `npm run crossbook` is the command line; `npm start` serves.
const isBareScript = args.length === 0 && env['npm_lifecycle_event'] === 'crossbook';
const [command = isBareScript ? 'help' : 'serve', ...rest] = readEnvFile(args);
const dataDirectory = env['CROSSBOOK_DATA'] || DATA_DIRECTORY;
if (command !== '--version') useCompileCache(dataDirectory);

// A failing stderr cannot be reported anywhere.
process.stderr.on('error', () => undefined);

if (command === 'worker' && process.send) {
  const { serveAsWorker } = await import('./serve-worker.ts');
  serveAsWorker(env);
} else if (command === 'serve' && rest.length === 0 && (env['CROSSBOOK_WORKERS'] || '1') !== '1') {
  const { supervise } = await import('./supervise.ts');
  await supervise(env);
} else if (command === 'serve' && rest.length === 0) {
  const database = env['DATABASE_URL'] ? undefined : await beginDatabase();
  const { serve } = await import('./serve.ts');
  await serve(env, database);
} else if (command === 'jobs' && rest.length === 0) {
  const { serveJobs } = await import('./serve-jobs.ts');
  await serveJobs(env);
} else if (command === '--version') {
  process.stdout.on('error', endQuietly);
  process.stdout.write(`${readVersion()}\n`);
} else {
  const { stdin, stdout, stderr } = process;
  stdout.on('error', endQuietly);
  const { runCommand } = await import('./cli/run.ts');
  process.exitCode = await runCommand({ args: [command, ...rest], env, stdin, stdout, stderr });
}

/** A closed pipe (`crossbook … | head -1`) is no failure; a full disk is. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`The output cannot be written: ${toReason(error)}\n`);
  process.exit(1);
}

async function beginDatabase() {
  const { beginEmbeddedServer } = await import('./storage/embedded-server.ts');
  return beginEmbeddedServer(toDatabaseDirectory(dataDirectory));
}
