import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import { systemClock } from '../../lib/clock.ts';
import { OUTBOUND_TLS } from '../../lib/tls.ts';
import { CheckedSocket } from '../../lib/tls-socket.ts';
import { Turns } from '../../lib/turns.ts';

/** undici's connector for https, over sockets that check the TLS handshake. */
export function createCheckedConnector({ timeoutMs, lookup, ca }: TlsConnectorOptions) {
  const turns = new Turns(systemClock);
  const connect = buildConnector({ ...OUTBOUND_TLS, ca, timeout: timeoutMs });
  const open = ({ hostname: host, port }: buildConnector.Options) =>
    connectTcp({ ...TCP, host, port: Number(port) || 443, lookup });
  return (target: buildConnector.Options, callback: buildConnector.Callback): void => {
    const checked = new CheckedSocket(target.httpSocket ?? open(target), turns);
    // undici also accepts a stream and returns the TLS socket, which its types leave out.
    const httpSocket = checked as Duplex as Socket;
    const secure: unknown = connect({ ...target, httpSocket }, callback);
    checked.check(secure as TLSSocket);
  };
}

/** As undici sets them for sockets that it opens. */
const TCP = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };

export interface TlsConnectorOptions {
  readonly timeoutMs: number;
  readonly lookup?: LookupFunction;
  /** The default is the public certificate authorities. */
  readonly ca?: string;
}
