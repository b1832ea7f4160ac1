import cluster, { type Worker } from 'node:cluster';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, type Env, readConfig } from './config.ts';
import { shutdownOnSignal } from './http/lifecycle.ts';
import { formatStartupMessage } from './http/welcome.ts';
import { withCleanup } from './lib/cleanup.ts';
import { systemClock, withLimit } from './lib/clock.ts';
import { withErrorListener } from './lib/error-listener.ts';
import { createLossyOutput, createStartOutput, toReason } from './lib/output.ts';
import { beginEmbeddedServer } from './storage/embedded-server.ts';
import { createLogger } from './telemetry/logger.ts';
import { createMetricSums, type MetricData } from './telemetry/metrics/sum-metrics.ts';
import type { SupervisorCalls, WorkerCalls } from './workers/calls.ts';
import { EarlyEndError, type Exit, type LaunchedWorker, openFleet } from './workers/fleet.ts';
import { type Link, openLink } from './workers/link.ts';
import { mergeLines } from './workers/merge-lines.ts';
import { createRateLimitHub, type RateLimitHub } from './workers/rate-limit-hub.ts';

/**
 * The command with several processes: this one serves no requests. It starts the workers and replaces them, and owns
 * what exists once: the log, the embedded database, the sandbox and the rate limits.
 */
export async function supervise(env: Env): Promise<void> {
  const readable = process.stdout.isTTY === true;
  const stdout = createLossyOutput(process.stdout);
  const output = createStartOutput(stdout, readable);
  const fail = (error: unknown) => {
    output.endStep();
    // A worker that could not start has printed the reason.
    if (!(error instanceof EarlyEndError && error.isExplained))
      process.stderr.write(
        `${env['LOG_LEVEL'] === 'debug' && error instanceof Error ? error.stack : toReason(error)}\n`,
      );
    process.exit(1);
  };
  try {
    const config = readConfig(env);
    if (config.workers === 1) return await serveAlone(env, config);
    const log = createLogger({ output, readable, level: config.logLevel });
    const { fleet, ready, close, notes } = await withCleanup((onFailure) =>
      open({ config, log, output, readable, countLost: stdout.countLost, onFailure }),
    );
    const { url, welcome } = ready;
    output.write(
      formatStartupMessage({
        url,
        hasMcp: welcome.hasMcp,
        hasGraphiQL: welcome.hasGraphiQL,
        demo: welcome.demo ?? undefined,
        agentToken: welcome.agentToken ?? undefined,
        consoleKey: welcome.consoleKey ?? undefined,
        notes: [
          `Workers    ${config.workers}${config.jobs ? ', and one for jobs' : ''}`,
          ...notes,
          ...welcome.notes,
        ],
      }),
    );
    const restart = () => void fleet.restart();
    process.on('SIGUSR2', restart);
    // In a terminal SIGHUP says that it was closed.
    if (!readable) process.on('SIGHUP', restart);
    shutdownOnSignal({
      listener: { close: fleet.stop },
      withinMs: config.shutdownMs + WORKER_CLOSES_MS,
      fail,
      announce: () => undefined,
      close,
      npmPid: env['NPM_PID'] ? Number(env['NPM_PID']) : undefined,
      signals: ['SIGTERM', 'SIGINT', ...(readable ? (['SIGHUP'] as const) : [])],
    });
  } catch (error) {
    fail(error);
  }
}

async function serveAlone(env: Env, { database }: Config): Promise<void> {
  const { serve } = await import('./serve.ts');
  await serve(env, 'url' in database ? undefined : beginEmbeddedServer(database.directory));
}

async function open({ config, log, output, readable, countLost, onFailure }: Opening) {
  const { workers: count, databaseConnections } = config;
  const processes = count + (config.jobs ? 1 : 0);
  const folder = mkdtempSync(join(tmpdir(), 'crossbook-'));
  onFailure(() => rmSync(folder, { recursive: true, force: true }));
  const embedded =
    'url' in config.database
      ? undefined
      : beginEmbeddedServer(config.database.directory, {
          // A rolling restart has one worker more.
          max_connections: String((processes + 1) * (databaseConnections + 3) + OTHER_CONNECTIONS),
        });
  embedded?.logTo((level, message) => log[level]({ database: 'embedded' }, message));
  const server = await embedded?.server;
  if (server) onFailure(server.close);
  const own = config.sandbox && (await openSandbox(config.sandbox));
  if (own) onFailure(own.close);

  const hub = createRateLimitHub({ workers: processes, now: systemClock.now });
  const sums = createMetricSums();
  const links = new Map<LaunchedWorker, Link<Calls>>();
  let launched = 0;
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ args: ['worker'], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  /** It has the last place. */
  let jobsWorker: LaunchedWorker | undefined;
  const fleet = openFleet({ count: processes, launch, clock: systemClock, log, onChange });
  onFailure(fleet.stop);
  const ready = await fleet.start();
  return {
    fleet,
    ready,
    notes: own?.notes ?? [],
    async close() {
      await own?.close();
      await server?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };

  function launch(place: number, { isFirst }: { readonly isFirst: boolean }): LaunchedWorker {
    launched += 1;
    const socket = join(folder, `${launched}.sock`);
    const worker = withErrorListener(cluster.fork());
    const { stdout } = worker.process;
    if (stdout) mergeLines(stdout, output.write);
    let greet = () => {};
    const greeted = new Promise<void>((resolve) => {
      greet = resolve;
    });
    const link = openLink<Calls, SupervisorCalls<readonly MetricData[]>>(toChannel(worker), {
      hello: () => greet(),
      step: output.step,
      ...toAnswers(hub),
      renderMetrics,
      leave: (metrics) => sums.update(one, metrics),
      announceWork: () => {
        if (jobsWorker) links.get(jobsWorker)?.tell('wake', null);
      },
    });
    const exited = new Promise<Exit>((resolve) => {
      const end = (code: number | null, signal: string | null) => {
        links.delete(one);
        sums.end(one);
        resolve({ code, signal });
      };
      worker.once('exit', end);
      // A process that could not be started does not exit.
      worker.once('error', () => worker.process.pid === undefined && end(null, null));
    });
    const begun = greeted.then(() =>
      link.ask('start', {
        role: place < count ? 'requests' : 'jobs',
        worker: place,
        workers: count,
        processes,
        isFirst,
        socket,
        databaseUrl: server?.url ?? null,
        sandbox: own?.facts ?? null,
        readable,
      }),
    );
    const one: LaunchedWorker = {
      socket,
      // Where it ends before, `exited` says so.
      ready: new Promise((resolve) => begun.then(resolve, () => undefined)),
      exited,
      // Calls that come before it listens would be lost.
      ping: () => greeted.then(() => link.ask('ping', null)),
      stop: (isLast) => link.tell('stop', { isLast }),
      kill: () => void worker.process.kill('SIGKILL'),
    };
    links.set(one, link);
    return one;
  }

  /** Resolves when no worker sends requests to one that is not in the list. */
  async function onChange(workers: readonly (LaunchedWorker | undefined)[]): Promise<void> {
    jobsWorker = workers[count];
    const sockets = workers.slice(0, count).map((worker) => worker?.socket ?? null);
    await Promise.all(
      [...links.values()].map((link) => inTime(link.ask('setPeers', sockets)).catch(ignore)),
    );
  }

  async function renderMetrics(): Promise<string> {
    await Promise.all(
      [...links].map(async ([worker, link]) => {
        // One that does not answer in time is counted with what it said before.
        const metrics = await inTime(link.ask('readMetrics', null)).catch(ignore);
        if (metrics && links.has(worker)) sums.update(worker, metrics);
      }),
    );
    return sums.render(toOwnMetrics({ ...fleet.counts(count), lost: countLost() }));
  }
}

async function openSandbox({ port, all }: NonNullable<Config['sandbox']>) {
  const [{ openSandboxNear }, { describeSandbox }] = await Promise.all([
    import('./demo/open-sandbox-near.ts'),
    import('./demo/share-sandbox.ts'),
  ]);
  const { sandbox, notes } = await openSandboxNear(port, all);
  return { facts: describeSandbox(sandbox), notes, close: sandbox.close };
}

function toAnswers({ count, acquire, cancel, release }: RateLimitHub) {
  return { count, acquire, cancel, release };
}

function toChannel(worker: Worker) {
  return {
    send: (message: object, onSent: (error: Error | null) => void) =>
      void worker.send(message, undefined, undefined, onSent),
    onMessage: (listener: (message: unknown) => void) => void worker.on('message', listener),
    onClose: (listener: () => void) => void worker.once('disconnect', listener),
  };
}

function inTime<T>(asked: Promise<T>): Promise<T> {
  return withLimit(asked, { limitMs: ANSWER_MS, clock: systemClock });
}

/** What no worker knows, or what this process adds to the sums. */
function toOwnMetrics({ ready, restarts, lost }: OwnCounts): readonly MetricData[] {
  const { user, system } = process.cpuUsage();
  return [
    ['crossbook_workers', 'gauge', 'Workers that serve requests.', ready],
    ['crossbook_worker_restarts_total', 'counter', 'Workers that ended unexpectedly.', restarts],
    ['crossbook_log_lines_lost_total', 'counter', 'Lines that were not written.', lost],
    ['process_cpu_seconds_total', 'counter', 'CPU time.', (user + system) / 1e6],
    ['process_resident_memory_bytes', 'gauge', 'Memory.', process.memoryUsage.rss()],
  ].map(([name, type, help, value]) => ({
    name,
    type,
    help,
    aggregator: 'sum',
    values: [{ value, labels: {} }],
  })) as unknown as readonly MetricData[];
}

function ignore(): undefined {}

/** A worker that is stuck delays the others as long. */
const ANSWER_MS = 1_000;
/** Of a worker, after its last response. */
const WORKER_CLOSES_MS = 5_000;
/** The commands, and what PostgreSQL reserves. */
const OTHER_CONNECTIONS = 20;

type Calls = WorkerCalls<Awaited<ReturnType<typeof openSandbox>>['facts'], readonly MetricData[]>;

interface OwnCounts {
  readonly ready: number;
  readonly restarts: number;
  readonly lost: number;
}

interface Opening {
  readonly config: Config;
  readonly log: ReturnType<typeof createLogger>;
  readonly output: ReturnType<typeof createStartOutput>;
  readonly readable: boolean;
  countLost(): number;
  readonly onFailure: (close: () => unknown) => void;
}
