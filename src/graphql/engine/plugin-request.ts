import type { HttpRequest } from '../../lib/http-message.ts';

/**
 * What plugins see of the HTTP request: a `Request` of the platform without its body, which was read before. Few ask for more
 * than the method, and only for those it is made.
 */
export function toPluginRequest({ method, url, headers }: HttpRequest): Request {
  let made: Request | undefined;
  return new Proxy({} as Request, {
    get(_target, name) {
      if (name === 'method') return method;
      made ??= new Request(url, { method, headers: Object.fromEntries(headers) });
      const value: unknown = Reflect.get(made, name, made);
      return typeof value === 'function' ? value.bind(made) : value;
    },
  });
}
