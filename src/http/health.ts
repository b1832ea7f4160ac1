import type { HttpAnswer, HttpRequest } from '../lib/http-message.ts';

/**
 * What is answered however much there is to do, with GET and with HEAD. `/livez`: the process runs. `/readyz`: it can also
 * do its work. Undefined: it is a face's.
 */
export function createProbes({ checkReadiness, renderMetrics, renderHomePage }: ProbeOptions): Probes {
  return (request) => {
    if (request.method === 'GET') return answer(request);
    return request.method === 'HEAD'
      ? answer(request)?.then((answered) => ({ ...answered, body: null }))
      : undefined;
  };

  function answer(request: HttpRequest): Promise<HttpAnswer> | undefined {
    switch (request.pathname) {
      case '/':
        return Promise.resolve(renderHomePage(request.url.origin));
      case '/livez':
        return Promise.resolve(toAnswer({}));
      case '/readyz':
        return checkReadiness().then(toAnswer);
      case '/metrics':
        return renderMetrics?.();
      default:
        return undefined;
    }
  }
}

function toAnswer(checks: Checks): HttpAnswer {
  const ok = Object.values(checks).every(Boolean);
  return {
    status: ok ? 200 : 503,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify({ ok, ...checks }),
  };
}

type Checks = object;

export type Probes = (request: HttpRequest) => Promise<HttpAnswer> | undefined;

interface ProbeOptions {
  /** By name: is it well? */
  checkReadiness(): Promise<Checks>;
  /** Undefined: there is no `/metrics`. */
  readonly renderMetrics: (() => Promise<HttpAnswer>) | undefined;
  renderHomePage(origin: string): HttpAnswer;
}
