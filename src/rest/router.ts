import type { RequestLog } from '../domain/request-log.ts';
import type { HttpRequest, HttpResponse } from '../lib/http-message.ts';
import type { RestMethod } from './operation.ts';

/** Finds what answers a path. Segments are compared still percent-encoded, so that an encoded slash stays in its segment. */
export function createRouter(endpoints: readonly Endpoint[]): Router {
  const patterns = endpoints.map((endpoint) => ({ endpoint, segments: endpoint.path.split('/') }));
  return {
    find(pathname) {
      const segments = pathname.split('/');
      const matches = patterns.flatMap((pattern) => {
        const path = match(pattern.segments, segments);
        return path ? [{ endpoint: pattern.endpoint, path }] : [];
      });
      return matches.length > 0 ? matches : undefined;
    },
  };
}

/** The methods that a path takes: whatever can be read can be asked for without its body. */
export function toAllow(matches: readonly Match[]): string {
  const methods = matches.map(({ endpoint }) => endpoint.method);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

function match(pattern: readonly string[], segments: readonly string[]): Match['path'] | undefined {
  if (pattern.length !== segments.length) return undefined;
  const path: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? '';
    const name = /^\{(.+)\}$/.exec(expected)?.[1];
    if (name && segment !== '') path[name] = segment;
    else if (segment !== expected) return undefined;
  }
  return path;
}

export interface Router {
  /** Every method of the path; undefined where there is no such path. */
  find(pathname: string): readonly Match[] | undefined;
}

export interface Match {
  readonly endpoint: Endpoint;
  readonly path: Readonly<Record<string, string>>;
}

export interface Endpoint {
  readonly method: RestMethod;
  readonly path: string;
  answer(arrival: {
    request: HttpRequest;
    path: Match['path'];
    requestLog: RequestLog;
  }): Promise<HttpResponse>;
}
