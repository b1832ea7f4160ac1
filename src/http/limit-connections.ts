import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Refusal } from '../domain/journal.ts';
import { toNetwork } from '../lib/to-network.ts';

/**
 * One address may have a part of the connections, so that another finds one free. An IPv6 address counts with its /64
 * network. Not for use behind proxies: all connections are theirs.
 */
export function limitConnections(server: Server, { maxPerAddress, onRefused }: ConnectionLimits): void {
  const open = new Map<string, number>();

  server.on('connection', (socket: Socket) => {
    const network = toNetwork(socket.remoteAddress ?? '');
    const count = (open.get(network) ?? 0) + 1;
    if (count > maxPerAddress) {
      socket.write(REFUSAL);
      socket.destroySoon();
      onRefused({ status: 503, code: 'ADDRESS_CONNECTIONS_FULL' });
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

const REFUSAL =
  'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n';

interface ConnectionLimits {
  readonly maxPerAddress: number;
  onRefused(refusal: Refusal): void;
}
