import { type Env, readConfig } from './config.ts';
import { createCrossbook } from './crossbook.ts';
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

/** The command: listens, creates Crossbook, and shuts down on a signal. */
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
    const { open, ...started } = createStartupHandler(config.basePath);
    // Listens before migrations run, so that probes and clients get a response meanwhile.
    const listener = await listen({ ...config, ...started });
    const settings = {
      ...env,
      // What the command knows by its listener, and an embedding application has to say.
      PORT: String(config.port),
      CROSSBOOK_SANDBOX: config.sandbox ? 'on' : 'off',
    };
    const crossbook = await createCrossbook(
      { settings },
      {
        logging: { output, readable },
        database,
        onStep: output.step,
        countLostLines: stdout.countLost,
      },
    );
    crossbook.announceUrl(listener.url);
    open(crossbook.parts);
    const url = listener.url + crossbook.parts.basePath();
    output.write(formatStartupMessage({ ...crossbook.parts, url }));
    shutdownOnSignal({
      listener,
      withinMs: config.shutdownMs,
      fail,
      announce: crossbook.announceStop,
      close: crossbook.close,
      npmPid: env['NPM_PID'] ? Number(env['NPM_PID']) : undefined,
    });
    flushCompileCache();
  } catch (error) {
    const server = await database?.server.catch(() => undefined);
    await server?.close();
    fail(error);
  }
}
