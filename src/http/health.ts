import type { HttpRequest, HttpResponse } from '../lib/http-message.ts';

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
