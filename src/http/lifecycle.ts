import { CrossbookError } from '../domain/errors.ts';
import { systemClock } from '../lib/clock.ts';
import type { HttpRequest, HttpResponse } from '../lib/http-message.ts';
import type { Listener } from './listen.ts';

/**
 * The probes, which bypass load shedding and answer GET and HEAD. `/livez`: the process runs. `/readyz`: 503 while it
 * starts or shuts down; what it shares with all other processes is in the body only, because a balancer that removes
 * all of them at once makes an outage complete. Undefined for every other path.
 */
export function createProbes({ checkShared, renderMetrics, renderHomePage }: ProbeOptions) {
  let isStopping = false;
  return {
    paths: PATHS,
    /** Undefined: this method or installation has no such probe, and the request goes to an API. */
    answer(request: HttpRequest): Promise<HttpResponse> | undefined {
      if (request.method === 'GET') return get(request);
      if (request.method !== 'HEAD') return undefined;
      return get(request)?.then((answered) => ({ ...answered, body: null }));
    },
    /** Makes `/readyz` fail from now on, so that load balancers stop sending requests to this process. */
    announceStop(): void {
      isStopping = true;
    },
  };

  function get(request: HttpRequest): Promise<HttpResponse> | undefined {
    switch (request.pathname) {
      case '/':
        return renderHomePage && Promise.resolve(renderHomePage(request.url.origin));
      case '/livez':
        return Promise.resolve(toProbeResponse(200, {}));
      case '/readyz':
        return isStopping
          ? Promise.resolve(toProbeResponse(503, { running: false }))
          : checkShared().then((checks) => toProbeResponse(200, checks));
      case '/metrics':
        if (!renderMetrics) throw new CrossbookError('NOT_FOUND', METRICS_OFF);
        return renderMetrics();
      default:
        return undefined;
    }
  }
}

/** `ok` is true where every check passes, whatever the status. */
export function toProbeResponse(status: 200 | 503, checks: object): HttpResponse {
  const ok = Object.values(checks).every(Boolean);
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify({ ok, ...checks }),
  };
}

const METRICS_OFF =
  'Metrics are off. Set CROSSBOOK_METRICS=on to serve them here; in production they are off by default.';

/** Tested first, so that other requests pay one cheap test of their path. */
const PATHS = /^\/(?:livez|readyz|metrics)?$/;

export type Probes = ReturnType<typeof createProbes>;

interface ProbeOptions {
  /** The state of what all processes share, by name. */
  checkShared(): Promise<object>;
  /** Undefined: `/metrics` is disabled. */
  readonly renderMetrics: (() => Promise<HttpResponse>) | undefined;
  /** Undefined if the server has no home page. */
  readonly renderHomePage?: ((origin: string) => HttpResponse) | undefined;
}

/**
 * Graceful shutdown: the listener refuses new connections and lets running requests finish (`close` of `listen.ts`),
 * then everything behind it closes (`close` of `app.ts`). A second signal exits at once. Exits with 1 where a request
 * was cut off. Signals that arrive almost together count as one, because Ctrl-C also reaches npm, which forwards it.
 * Returns what a signal does.
 */
export function shutdownOnSignal({
  listener,
  announce,
  close,
  withinMs,
  fail,
  npmPid,
  signals = ['SIGTERM', 'SIGINT', 'SIGHUP'],
}: Running): () => void {
  let stoppingSince: number | undefined;
  const stop = () => {
    const now = systemClock.now();
    if (stoppingSince !== undefined && now - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
    if (stoppingSince !== undefined) return;
    stoppingSince = now;
    announce();
    // Forces the exit where the shutdown takes too long.
    setTimeout(() => process.exit(1), withinMs + CLOSING_MS).unref();
    listener
      .close(withinMs)
      .then(async (isWhole) => {
        await close();
        process.exit(isWhole ? 0 : 1);
      })
      .catch(fail);
  };
  // SIGHUP: the terminal was closed.
  for (const signal of signals) process.on(signal, stop);
  // The exit of npm starts a shutdown; it never counts as a second signal.
  if (npmPid !== undefined) watchParent(npmPid, () => stoppingSince === undefined && stop());
  return stop;
}

/** Time for the pools to close after the last response. */
const CLOSING_MS = 10_000;
const SAME_SIGNAL_MS = 500;

/** Calls back when the parent process has exited: npm forwards no signal when it is killed. */
function watchParent(pid: number, onGone: () => void): void {
  const timer = setInterval(() => {
    if (process.ppid === pid) return;
    clearInterval(timer);
    onGone();
  }, PARENT_CHECK_EVERY_MS).unref();
}

const PARENT_CHECK_EVERY_MS = 1_000;

interface Running {
  readonly listener: Pick<Listener, 'close'>;
  /** Makes the probes report that the process shuts down. */
  announce(): void;
  /** Closes everything behind the listener. */
  close(): Promise<void>;
  readonly withinMs: number;
  readonly fail: (error: unknown) => void;
  /** The process id of the npm that started this process, which exits with it. */
  readonly npmPid: number | undefined;
  readonly signals?: readonly NodeJS.Signals[] | undefined;
}
