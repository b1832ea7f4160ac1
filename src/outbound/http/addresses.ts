import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { type HostLookup, isPublicAddress } from '../../lib/addresses.ts';
import { OUTBOUND_TLS } from '../../lib/tls.ts';
import { inShortPieces } from './short-pieces.ts';

/** Connects to the address that was checked: a second look-up could return another one (DNS rebinding). */
export function createGuardedConnector({
  timeoutMs,
  lookup = (host) => systemLookup(host, { all: true }),
}: ConnectorOptions): buildConnector.connector {
  const connect = inShortPieces(
    buildConnector({ ...OUTBOUND_TLS, timeout: timeoutMs, lookup: toPublicLookup(lookup) }),
  );
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    // Literal addresses bypass the look-up and its check, and no CRM has one.
    if (isIP(host) || target.protocol !== 'https:') {
      callback(new PrivateAddressError(`Calls to the host ${host} are not allowed.`), null);
      return;
    }
    connect(target, callback);
  };
}

/** For servers on this machine: the sandbox, and endpoints of developers. */
export function createLoopbackConnector({
  timeoutMs,
}: Pick<ConnectorOptions, 'timeoutMs'>): buildConnector.connector {
  return inShortPieces(buildConnector({ timeout: timeoutMs }));
}

/** A distinct class, because undici treats other errors as broken connections, which are retried. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

function toPublicLookup(lookup: HostLookup): LookupFunction {
  return (host, options, callback) => {
    lookup(host).then(
      (addresses) => {
        const open = addresses.filter(({ address }) => isPublicAddress(address));
        const [first] = open;
        if (!first)
          callback(new PrivateAddressError(`${host} resolves to a private address.`), '', 0);
        else if (options.all) callback(null, [...open]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

interface ConnectorOptions {
  readonly timeoutMs: number;
  readonly lookup?: HostLookup | undefined;
}
