#!/usr/bin/env node
import { DATA_DIRECTORY, toDatabaseDirectory } from './lib/data-directory.ts';
import { useCompileCache } from './lib/use-compile-cache.ts';

/**
 * The process. Without a command, it serves. This file imports next to nothing: the database's server starts while the
 * rest is still loading.
 */
const [command = 'serve', ...rest] = process.argv.slice(2);
const env = process.env;
const dataDirectory = env['CROSSBOOK_DATA'] || DATA_DIRECTORY;
useCompileCache(dataDirectory);

if (command === 'serve' && rest.length === 0) {
  const database = env['DATABASE_URL'] ? undefined : await beginDatabase();
  const { serve } = await import('./serve.ts');
  await serve(env, database);
} else {
  const { stdout, stderr } = process;
  const { runCommand } = await import('./cli/run.ts');
  process.exitCode = await runCommand({ args: [command, ...rest], env, stdout, stderr });
}

async function beginDatabase() {
  const { beginEmbeddedServer } = await import('./storage/embedded/begin.ts');
  return beginEmbeddedServer(toDatabaseDirectory(dataDirectory));
}
