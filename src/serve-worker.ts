import { type Env, readConfig } from './config.ts';
import { createCrossbook, type OwnCrossbook } from './crossbook.ts';
import type { SandboxFacts } from './foundation.ts';
import { shutdownOnSignal } from './http/lifecycle.ts';
import { listen } from './http/listen.ts';
import { createStartupHandler } from './http/startup.ts';
import { createJobs } from './jobs.ts';
import { systemClock } from './lib/clock.ts';
import { flushCompileCache } from './lib/data-directory.ts';
import { createBufferedOutput, createLossyOutput, toReason } from './lib/output.ts';
import { joinBegunServer } from './storage/embedded-server.ts';
import type { MetricData } from './telemetry/metrics/sum-metrics.ts';
import type { SupervisorCalls, WorkerCalls, WorkerReady, WorkerStart } from './workers/calls.ts';
import { createForwarding } from './workers/forwarding.ts';
import { openLink } from './workers/link.ts';
import { listenPrivately } from './workers/private-listener.ts';
import { createSharedLimits } from './workers/shared-limits.ts';

/** One of several processes of the command. Its supervisor starts and stops it. */
export function serveAsWorker(env: Env): void {
  // A terminal and a service manager send signals to all processes: the supervisor alone acts on them.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const)
    process.on(signal, () => undefined);
  let opened: OpenedWorker | undefined;

  const link = openLink<SupervisorCalls<readonly MetricData[]>, Answers>(SUPERVISOR, {
    async start(options): Promise<WorkerReady> {
      try {
        opened =
          options.role === 'jobs'
            ? await openJobsWorker(env, options, link)
            : await openWorker(env, options, link);
        return opened.ready;
      } catch (error) {
        return fail(error);
      }
    },
    setPeers: (sockets) => opened?.setPeers(sockets),
    readMetrics: async () => opened?.readMetrics() ?? [],
    ping: () => undefined,
    wake: () => opened?.wake(),
    stop({ isLast }) {
      if (!opened) process.exit(0);
      const { announce, ...running } = opened.running;
      // While other workers continue, `/readyz` succeeds on the connections that are still open here.
      const stop = shutdownOnSignal({
        ...running,
        announce: () => isLast && announce(),
        fail,
        npmPid: undefined,
        signals: [],
      });
      stop();
    },
  });

  link.tell('hello', null);

  function fail(error: unknown): never {
    const stack = error instanceof Error ? error.stack : undefined;
    process.stderr.write(`${env['LOG_LEVEL'] === 'debug' ? stack : toReason(error)}\n`);
    process.exit(1);
  }
}

type Link = ReturnType<typeof openLink<SupervisorCalls<readonly MetricData[]>, Answers>>;

/** Does jobs, and listens nowhere. */
async function openJobsWorker(env: Env, options: Start, link: Link): Promise<OpenedWorker> {
  const config = readConfig(env);
  const { logging, ...given } = openParts(options, link);
  const jobs = await createJobs(config, logging, given);
  return {
    ready: NOTHING_SERVED,
    setPeers: () => undefined,
    wake: jobs.wake,
    readMetrics: jobs.readMetrics,
    running: {
      listener: { close: async () => true },
      withinMs: config.shutdownMs,
      announce: jobs.announceStop,
      async close() {
        await jobs.close();
        await leave(link, jobs.readMetrics);
      },
    },
  };
}

const NOTHING_SERVED: WorkerReady = {
  url: '',
  welcome: {
    demo: null,
    hasMcp: false,
    hasGraphiQL: false,
    agentToken: null,
    consoleKey: null,
    notes: [],
  },
};

/** Its counters stay in the sum. The supervisor may have ended. */
async function leave(link: Link, readMetrics: () => Promise<readonly MetricData[]>) {
  await link.ask('leave', await readMetrics()).catch(() => undefined);
}

/** What a worker has of its supervisor, and of the process. */
function openParts(options: Start, link: Link) {
  const { worker, processes, databaseUrl, sandbox } = options;
  const stdout = createLossyOutput(process.stdout);
  return {
    logging: {
      output: createBufferedOutput(stdout),
      readable: options.readable,
      worker: worker + 1,
    },
    database: databaseUrl === null ? undefined : joinBegunServer(databaseUrl),
    workers: processes,
    sandboxFacts: sandbox ?? undefined,
    sharedLimits: createSharedLimits({ link, workers: processes, clock: systemClock }),
    renderMetrics: () => link.ask('renderMetrics', null),
    countLostLines: stdout.countLost,
  };
}

/** Calls soon: several calls within a moment become one. */
function gather(call: () => void): () => void {
  let isSoon = false;
  return () => {
    if (isSoon) return;
    isSoon = true;
    systemClock.schedule(GATHER_MS, () => {
      isSoon = false;
      call();
    });
  };
}

const GATHER_MS = 50;

async function openWorker(env: Env, options: Start, link: Link): Promise<OpenedWorker> {
  const { worker, workers, isFirst } = options;
  const config = readConfig(env);
  const early = isFirst ? createStartupHandler(config.basePath) : undefined;
  const earlyListener = early && (await listen({ ...config, ...early }));
  let crossbook: OwnCrossbook | undefined;
  const forwarding = createForwarding({
    worker,
    workers,
    clock: systemClock,
    maxRunning: config.maxRequests,
    customersPrefix: config.restPrefixes.customers,
    onForwarded: (outcome) => crossbook?.parts.onForwarded(outcome),
  });
  crossbook = await createCrossbook(
    {
      settings: {
        ...env,
        // What the command knows by its listener, and an embedding application has to say.
        PORT: String(config.port),
        CROSSBOOK_SANDBOX: config.sandbox ? 'on' : 'off',
        // The worker for jobs does them, if any.
        CROSSBOOK_JOBS: 'off',
      },
    },
    {
      ...openParts(options, link),
      forward: forwarding.forward,
      onStep: isFirst ? (step) => link.tell('step', step) : undefined,
      announceWork: gather(() => link.tell('announceWork', null)),
    },
  );
  const { parts, announceStop, close } = crossbook;
  const { handler, hasRoom, onRefused } = parts;
  const privateListener = await listenPrivately({ socket: options.socket, handler, hasRoom });
  early?.open(parts);
  const listener = earlyListener ?? (await listen({ ...config, handler, onRefused }));
  crossbook.announceUrl(listener.url);
  flushCompileCache();
  const { demo = null, hasMcp, hasGraphiQL, agentToken = null, consoleKey = null, notes } = parts;
  const ready: WorkerReady = {
    url: listener.url + parts.basePath(),
    welcome: { demo, hasMcp, hasGraphiQL, agentToken, consoleKey, notes },
  };
  return {
    ready,
    setPeers: forwarding.setPeers,
    wake: () => undefined,
    readMetrics: parts.readMetrics,
    running: {
      listener,
      withinMs: config.shutdownMs,
      announce: announceStop,
      async close() {
        await privateListener.close();
        await forwarding.close();
        await close();
        await leave(link, parts.readMetrics);
      },
    },
  };
}

const SUPERVISOR = {
  send: (message: object, onSent: (error: Error | null) => void) =>
    void process.send?.(message, undefined, undefined, onSent),
  onMessage: (listener: (message: unknown) => void) => void process.on('message', listener),
  onClose: (listener: () => void) => void process.once('disconnect', listener),
};

type Answers = WorkerCalls<SandboxFacts, readonly MetricData[]>;
type Start = WorkerStart<SandboxFacts>;

interface OpenedWorker {
  readonly ready: WorkerReady;
  setPeers(sockets: readonly (string | null)[]): void;
  wake(): void;
  readMetrics(): Promise<readonly MetricData[]>;
  readonly running: Pick<
    Parameters<typeof shutdownOnSignal>[0],
    'listener' | 'withinMs' | 'announce' | 'close'
  >;
}
