import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './addresses.ts';

/** The address that is checked is the address that is connected to: a second look-up could answer another one. */
export function createGuardedConnector(options: {
  readonly timeoutMs: number;
  readonly lookup?: HostLookup | undefined;
}): buildConnector.connector {
  const connect = buildConnector({
    timeout: options.timeoutMs,
    lookup: toPublicLookup(options.lookup ?? lookupAll),
    // Said here, so that no environment variable can switch it off.
    rejectUnauthorized: true,
  });
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    // A literal address never passes a look-up, and no CRM has one.
    if (isIP(host) || target.protocol !== 'https:') {
      callback(new PrivateAddressError(`${host} is not a host that is called.`), null);
      return;
    }
    connect(target, callback);
  };
}

/** Undici would take any error for a broken connection: this one is not worth another try. */
export class PrivateAddressError extends Error {
  override readonly name = 'PrivateAddressError';
}

function toPublicLookup(lookup: HostLookup): LookupFunction {
  return (host, options, callback) => {
    lookup(host).then(
      (addresses) => {
        const open = addresses.filter(({ address }) => isPublicAddress(address));
        const [first] = open;
        if (!first) callback(new PrivateAddressError(`${host} resolves to a private address.`), '', 0);
        else if (options.all) callback(null, [...open]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, '', 0),
    );
  };
}

function lookupAll(host: string) {
  return systemLookup(host, { all: true });
}

export type HostLookup = (
  host: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;
