import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { CrossbookError } from '../domain/errors.ts';
import type { Refusal } from '../domain/journal.ts';
import { toSubnet } from '../lib/to-subnet.ts';
import { toRawRefusal } from './to-refusal.ts';

/**
 * One address may have a part of the connections, so that another finds one free. An IPv6 address counts with its /64
 * network. Not for use behind proxies: all connections are theirs.
 */
export function limitConnections(server: Server, { maxPerAddress, onRefused }: ConnectionLimits): void {
  const open = new Map<string, number>();

  server.on('connection', (socket: Socket) => {
    const network = toSubnet(socket.remoteAddress ?? '');
    const count = (open.get(network) ?? 0) + 1;
    if (count > maxPerAddress) {
      const error = new CrossbookError(
        'SERVICE_UNAVAILABLE',
        'This address has as many connections open as one may have: use those, or try again.',
        { retryAfterMs: RETRY_AFTER_MS },
      );
      socket.write(toRawRefusal(error));
      socket.destroySoon();
      onRefused({ status: 503, code: 'ADDRESS_CONNECTIONS_FULL', errorId: error.id });
      return;
    }
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
  });
}

const RETRY_AFTER_MS = 1_000;

interface ConnectionLimits {
  readonly maxPerAddress: number;
  onRefused(refusal: Refusal): void;
}
