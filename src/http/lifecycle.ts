import { systemClock } from '../lib/clock.ts';
import type { HttpRequest, HttpResponse } from '../lib/http-message.ts';
import type { Listener } from './listen.ts';

/**
 * What is answered however much there is to do, with GET and with HEAD. `/livez`: the process runs. `/readyz`: it can also
 * do its work. Undefined: it is a face's.
 */
export function createProbes({ checkReadiness, renderMetrics, renderHomePage }: ProbeOptions) {
  let isStopping = false;
  return {
    paths: PATHS,
    /** Undefined: with this method, or in this installation, it is a face's. */
    answer(request: HttpRequest): Promise<HttpResponse> | undefined {
      if (request.method === 'GET') return get(request);
      if (request.method !== 'HEAD') return undefined;
      return get(request)?.then((answered) => ({ ...answered, body: null }));
    },
    /** From now on it is not ready: connections that are open learn that their process is about to go. */
    announceStop(): void {
      isStopping = true;
    },
  };

  function get(request: HttpRequest): Promise<HttpResponse> | undefined {
    switch (request.pathname) {
      case '/':
        return Promise.resolve(renderHomePage(request.url.origin));
      case '/livez':
        return Promise.resolve(toAnswer({}));
      case '/readyz':
        return isStopping ? Promise.resolve(toAnswer({ running: false })) : checkReadiness().then(toAnswer);
      case '/metrics':
        return renderMetrics?.();
      default:
        return undefined;
    }
  }
}

function toAnswer(checks: object): HttpResponse {
  const ok = Object.values(checks).every(Boolean);
  return {
    status: ok ? 200 : 503,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify({ ok, ...checks }),
  };
}

/** However much there is to do, a look at the path is all that others pay. */
const PATHS = /^\/(?:livez|readyz|metrics)?$/;

export type Probes = ReturnType<typeof createProbes>;

interface ProbeOptions {
  /** By name: is it well? */
  checkReadiness(): Promise<object>;
  /** Undefined: there is no `/metrics`. */
  readonly renderMetrics: (() => Promise<HttpResponse>) | undefined;
  renderHomePage(origin: string): HttpResponse;
}

/**
 * Graceful shutdown: new connections are refused and what runs may finish (`close` of `listen.ts`), then everything behind it is closed
 * (`close` of `app.ts`). The first signal does this; a later one does not wait. Exits with 1 where something was cut off. One that
 * comes at once after the first is the same: Ctrl-C reaches npm too, which passes it on.
 */
export function shutdownOnSignal({ listener, announce, close, withinMs, fail, npmPid }: Running): void {
  let stoppingSince: number | undefined;
  const stop = () => {
    const now = systemClock.now();
    if (stoppingSince !== undefined && now - stoppingSince > SAME_SIGNAL_MS) process.exit(1);
    if (stoppingSince !== undefined) return;
    stoppingSince = now;
    announce();
    // What is still running then is broken off.
    setTimeout(() => process.exit(1), withinMs + CLOSING_MS).unref();
    listener
      .close(withinMs)
      .then(async (isWhole) => {
        await close();
        process.exit(isWhole ? 0 : 1);
      })
      .catch(fail);
  };
  // SIGHUP: its terminal was closed.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
  // What stops already may take its time: the end of npm is no second signal.
  if (npmPid !== undefined) watchParent(npmPid, () => stoppingSince === undefined && stop());
}

/** For the pools, after the last answer. */
const CLOSING_MS = 10_000;
const SAME_SIGNAL_MS = 500;

/** Calls back when the process that started this one is gone: npm, when it is killed, passes no signal on. */
function watchParent(pid: number, onGone: () => void): void {
  const timer = setInterval(() => {
    if (process.ppid === pid) return;
    clearInterval(timer);
    onGone();
  }, PARENT_CHECK_EVERY_MS).unref();
}

const PARENT_CHECK_EVERY_MS = 1_000;

interface Running {
  readonly listener: Listener;
  /** Says on connections that are open that this process is about to go. */
  announce(): void;
  /** Of everything behind the listener. */
  close(): Promise<void>;
  readonly withinMs: number;
  readonly fail: (error: unknown) => void;
  /** Of the npm that started this process: it ends with it. */
  readonly npmPid: number | undefined;
}
