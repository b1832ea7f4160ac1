import type { Log } from '../domain/log.ts';
import type { HttpHeaders } from '../lib/http-message.ts';

/**
 * Behind a proxy that is not trusted all clients have one address, the proxy's, and share what belongs to an address.
 * Nobody notices until one of them misbehaves: it is said once, when the first forwarded request arrives.
 */
export function createProxyWarning({ proxies, log }: Options): (headers: HttpHeaders) => void {
  let isDone = proxies > 0;
  return (headers) => {
    if (isDone || (headers.get('x-forwarded-for') ?? headers.get('forwarded')) === null) return;
    isDone = true;
    log.warn(
      {},
      'requests come through a proxy, and CROSSBOOK_TRUSTED_PROXIES is 0: all clients count as one address',
    );
  };
}

interface Options {
  /** How many are trusted. */
  readonly proxies: number;
  readonly log: Pick<Log, 'warn'>;
}
