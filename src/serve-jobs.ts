import { type Config, type Env, readConfig } from './config.ts';
import { shutdownOnSignal } from './http/lifecycle.ts';
import { listen } from './http/listen.ts';
import { createStartupHandler } from './http/startup.ts';
import { createJobs } from './jobs.ts';
import { flushCompileCache } from './lib/data-directory.ts';
import {
  createBufferedOutput,
  createLossyOutput,
  createStartOutput,
  toReason,
} from './lib/output.ts';

/** The command `jobs`: a process that does jobs until a signal, next to those that serve requests. */
export async function serveJobs(env: Env): Promise<void> {
  const readable = process.stdout.isTTY === true;
  const stdout = createLossyOutput(process.stdout);
  const output = createStartOutput(readable ? stdout : createBufferedOutput(stdout), readable);
  const fail = (error: unknown) => {
    output.endStep();
    const stack = error instanceof Error ? error.stack : undefined;
    process.stderr.write(`${env['LOG_LEVEL'] === 'debug' ? stack : toReason(error)}\n`);
    process.exit(1);
  };
  try {
    const config = readConfig(env);
    checkShares(config);
    const { open, ...started } = createStartupHandler();
    const listener = await listen({ ...config, port: config.jobsPort, ...started });
    const jobs = await createJobs(
      config,
      { output, readable },
      { onStep: output.step, countLostLines: stdout.countLost },
    );
    open(jobs);
    output.write(formatMessage(listener.url, jobs.notes));
    shutdownOnSignal({
      listener,
      withinMs: config.shutdownMs,
      fail,
      announce: jobs.announceStop,
      close: () => jobs.handler.close().then(jobs.close),
      npmPid: env['NPM_PID'] ? Number(env['NPM_PID']) : undefined,
    });
    flushCompileCache();
  } catch (error) {
    fail(error);
  }
}

/** What other processes do not share with this one. */
function checkShares({ database, sandbox }: Config): void {
  if (!('url' in database)) throw new Error(NO_DATABASE);
  if (sandbox) throw new Error(OWN_SANDBOX);
}

const NO_DATABASE =
  'crossbook jobs needs DATABASE_URL: the embedded database belongs to the process that serves requests, which does jobs itself. CROSSBOOK_WORKERS=2 gives them a process of their own.';
const OWN_SANDBOX =
  'crossbook jobs cannot reach the sandbox, which is part of the process that serves requests: set CROSSBOOK_SANDBOX=off, or let that process do jobs.';

function formatMessage(url: string, notes: readonly string[]): string {
  const lines = [`Crossbook does jobs. Probes and metrics: ${url}`, ...notes];
  return `\n${lines.map((line) => `  ${line}\n`).join('')}\n`;
}
