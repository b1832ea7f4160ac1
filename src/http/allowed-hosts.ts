import { CrossbookError } from '../domain/errors.ts';
import type { HttpHeaders } from '../lib/http-message.ts';

/**
 * For the sandbox: a page of another site that lets its own name point to this machine (DNS rebinding) is same-origin to
 * the browser, and could read the demo's key. Its requests carry that name as their Host. A browser always sends one.
 */
export function createHostCheck(names: readonly string[]): (headers: HttpHeaders) => void {
  const allowed = new Set([...LOOPBACK, ...names.map((name) => name.toLowerCase())]);
  return (headers) => {
    const host = headers.get('host');
    if (host === null || allowed.has(host.replace(/:\d*$/, '').toLowerCase())) return;
    throw new CrossbookError(
      'FORBIDDEN',
      'While the sandbox is on, only localhost, 127.0.0.1, [::1] and the names in CROSSBOOK_HOSTS are answered.',
    );
  };
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
