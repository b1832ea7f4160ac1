#!/usr/bin/env node
import { DATA_DIRECTORY, toDatabaseDirectory, useCompileCache } from './lib/data-directory.ts';
import { toReason } from './lib/output.ts';

/**
 * The entry point of the process. Without a command it serves. It imports almost nothing, so that the embedded
 * database starts while the rest is loading.
 */
const [command = 'serve', ...rest] = readEnvFile(process.argv.slice(2));
const env = process.env;
const dataDirectory = env['CROSSBOOK_DATA'] || DATA_DIRECTORY;
if (command !== '--version') useCompileCache(dataDirectory);

// A failing stderr cannot be reported anywhere.
process.stderr.on('error', () => undefined);

if (command === 'serve' && rest.length === 0) {
  const database = env['DATABASE_URL'] ? undefined : await beginDatabase();
  const { serve } = await import('./serve.ts');
  await serve(env, database);
} else if (command === '--version') {
  process.stdout.on('error', endQuietly);
  const { readVersion } = await import('./version.ts');
  process.stdout.write(`${readVersion()}\n`);
} else {
  const { stdin, stdout, stderr } = process;
  stdout.on('error', endQuietly);
  const { runCommand } = await import('./cli/run.ts');
  process.exitCode = await runCommand({ args: [command, ...rest], env, stdin, stdout, stderr });
}

/** Loads a leading `--env-file` and returns the other arguments. Existing environment variables win. */
function readEnvFile(args: readonly string[]): readonly string[] {
  const [first = '', ...others] = args;
  if (!/^--env-file(=|$)/.test(first)) return args;
  const [file = '', ...rest] = first.includes('=')
    ? [first.slice(first.indexOf('=') + 1), ...others]
    : others;
  try {
    process.loadEnvFile(file);
    return rest;
  } catch (error) {
    process.stderr.write(
      `The settings of --env-file "${file}" cannot be read: ${toReason(error)}\n`,
    );
    process.exit(2);
  }
}

/** A closed pipe (`crossbook … | head -1`) is no failure; a full disk is. */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`What it says cannot be written: ${toReason(error)}\n`);
  process.exit(1);
}

async function beginDatabase() {
  const { beginEmbeddedServer } = await import('./storage/embedded-server.ts');
  return beginEmbeddedServer(toDatabaseDirectory(dataDirectory));
}
