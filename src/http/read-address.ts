import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Who sends this? Each trusted proxy writes at the end of `X-Forwarded-For` whom it was asked by; whatever stands before
 * that was written by somebody else.
 */
export function readAddress({ socket, headers }: Arriving, proxies: number): string | undefined {
  if (proxies === 0) return socket.remoteAddress;
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  const address = forwarded.at(-proxies)?.trim();
  return address !== undefined && isIP(address) ? address : socket.remoteAddress;
}

export interface Arriving {
  readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress'>;
  readonly headers: IncomingMessage['headers'];
}
