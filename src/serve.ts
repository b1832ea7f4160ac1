import { createApp, openMemory } from './app.ts';
import { type Env, readConfig } from './config.ts';
import { shutdownOnSignal } from './http/lifecycle.ts';
import { listen } from './http/listen.ts';
import { createStartupHandler } from './http/startup.ts';
import { formatStartupMessage } from './http/welcome.ts';
import { flushCompileCache } from './lib/data-directory.ts';
import {
  createBufferedOutput,
  createLossyOutput,
  createStartOutput,
  toReason,
} from './lib/output.ts';
import type { BegunServer } from './storage/embedded-server.ts';

/** Reads the configuration, listens, creates the application, and shuts down on a signal. */
export async function serve(env: Env, database: BegunServer | undefined): Promise<void> {
  const readable = process.stdout.isTTY === true;
  const stdout = createLossyOutput(process.stdout);
  const output = createStartOutput(readable ? stdout : createBufferedOutput(stdout), readable);
  const fail = (error: unknown) => {
    output.endStep();
    // A failed start is nearly always caused by the environment: prints the message, and the stack only on demand.
    const stack = error instanceof Error ? error.stack : undefined;
    const words = toReason(error);
    process.stderr.write(`${env['LOG_LEVEL'] === 'debug' ? stack : words}\n`);
    process.exit(1);
  };
  try {
    const config = readConfig(env);
    const memory = openMemory(config);
    const { open, ...handler } = createStartupHandler();
    // Listens before migrations run, so that probes and clients get a response meanwhile.
    const listener = await listen({ ...config, ...handler, memory });
    const app = await createApp(
      config,
      { output, readable },
      { database, memory, onStep: output.step, countLostLines: stdout.countLost },
    );
    app.announceUrl(listener.url);
    open(app);
    output.write(formatStartupMessage({ ...app, url: listener.url }));
    shutdownOnSignal({
      listener,
      withinMs: config.shutdownMs,
      fail,
      announce: app.announceStop,
      close: app.close,
      npmPid: env['NPM_PID'] ? Number(env['NPM_PID']) : undefined,
    });
    flushCompileCache();
  } catch (error) {
    const server = await database?.server.catch(() => undefined);
    await server?.close();
    fail(error);
  }
}
