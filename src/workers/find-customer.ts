import type { IncomingMessage } from 'node:http';

/**
 * The customer that a request names before its body is read: by a customer token, by the path of a REST operation, or
 * by `x-customer-id`. The token is not verified here: a wrong one is refused by whichever worker handles the request.
 */
export function createFindCustomer(customersPrefix = '') {
  const customers = `${customersPrefix}/customers/`;
  return ({ url = '/', headers }: Named): Buffer | undefined => {
    const { authorization } = headers;
    if (authorization !== undefined) return readSubject(authorization);
    if (url.startsWith(customers)) return readPath(url.slice(customers.length));
    const named = headers['x-customer-id'];
    // Node reads the bytes of a header as Latin-1.
    return typeof named === 'string' && named !== '' ? Buffer.from(named, 'latin1') : undefined;
  };
}

function readSubject(authorization: string): Buffer | undefined {
  const payload = /^Bearer +[\w-]+\.([\w-]+)\.[\w-]+$/i.exec(authorization)?.[1];
  if (payload === undefined) return undefined;
  try {
    const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return typeof sub === 'string' ? Buffer.from(sub) : undefined;
  } catch {
    return undefined;
  }
}

function readPath(rest: string): Buffer | undefined {
  const segment = /^[^/?#]+/.exec(rest)?.[0];
  try {
    return segment === undefined ? undefined : Buffer.from(decodeURIComponent(segment));
  } catch {
    return undefined;
  }
}

type Named = Pick<IncomingMessage, 'url' | 'headers'>;
