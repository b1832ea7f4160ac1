#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { createApp } from './app.ts';
import { runCommand } from './cli/run.ts';
import { readConfig } from './config.ts';
import { listen } from './http/listen.ts';
import { stopOnSignal } from './http/stop-on-signal.ts';
import { toWelcome } from './http/welcome.ts';
import { createBulkOutput } from './lib/bulk-output.ts';

/** The process. Without a command, it serves. */
async function main([command = 'serve', ...rest] = process.argv.slice(2)): Promise<void> {
  if (command === 'serve' && rest.length === 0) return serve();
  const { env, stdout, stderr } = process;
  process.exitCode = await runCommand({ args: [command, ...rest], env, stdout, stderr });
}

/** Reads the configuration, makes the application, listens, and stops when told to. */
async function serve(): Promise<void> {
  setFlagsFromString(FOR_REQUESTS);
  const config = readConfig(process.env);
  const readable = process.stdout.isTTY === true;
  const output = readable ? process.stdout : createBulkOutput(process.stdout);
  const app = await createApp(config, { output, readable });
  const { host, port, bounds, proxies, shutdownMs } = config;
  const { answer, onRefused } = app;
  const listener = await listen({ answer, onRefused, host, port, bounds, proxies }).catch(
    async (error: unknown) => {
      await app.close();
      throw error;
    },
  );
  output.write(toWelcome({ url: listener.url, demo: app.demo, notes: app.notes }));
  stopOnSignal({ listener, close: app.close, withinMs: shutdownMs, fail });
}

/** What stops a start is nearly always the environment: it is told in words, and with its stack to who asks for it. */
function fail(error: unknown): void {
  const stack = error instanceof Error ? error.stack : undefined;
  const words = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${process.env['LOG_LEVEL'] === 'debug' ? stack : words}\n`);
  process.exit(1);
}

/**
 * After a quiet time the engine goes through all of its heap whenever that has grown by a third. Under load this comes
 * several times a second and takes a quarter of a core: here the heap may double first. And because what a request makes
 * outlives a collection or two while its CRM thinks, the engine concludes that such lists live for long, and makes them
 * where only a full collection finds them again.
 */
const FOR_REQUESTS = '--heap-growing-percent=100 --no-allocation-site-pretenuring';

main().catch(fail);
