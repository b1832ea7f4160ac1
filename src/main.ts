import { type App, createApp } from './app.ts';
import { ConfigError, readConfig } from './config.ts';
import { type Listener, listen } from './http/listen.ts';
import { toWelcome } from './http/welcome.ts';

/** The process: read the configuration, make the application, listen, and stop when told to. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const app = await createApp(config, { output: process.stdout, readable: process.stdout.isTTY === true });
  const { host, port } = config;
  const listener = await listen({ fetch: app.fetch, host, port }).catch(async (error: unknown) => {
    await app.close();
    throw error;
  });
  process.stdout.write(toWelcome({ url: listener.url, demo: app.demo, notes: app.notes }));
  stopOnSignal(app, listener);
}

/** The first signal lets what runs finish; a second one does not wait. */
function stopOnSignal(app: App, listener: Listener): void {
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(1);
    stopping = true;
    listener
      .close()
      .then(() => app.close())
      .then(() => process.exit(0), fail);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** What a person can mend is told in words; anything else keeps its stack. */
function fail(error: unknown): void {
  const told = error instanceof ConfigError || !(error instanceof Error) ? String(error) : error.stack;
  process.stderr.write(`${told}\n`);
  process.exit(1);
}

main().catch(fail);
