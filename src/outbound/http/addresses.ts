import { lookup as systemLookup } from 'node:dns/promises';
import { BlockList, isIP, isIPv4, isIPv6, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';

/** Blocked address ranges: private, local, shared, reserved, documentation, multicast. */
const BLOCKED_SUBNETS = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // The agent of a cloud provider, at an address that looks public.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // Within public IPv6: ranges that embed IPv4 addresses, or are reserved.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
];

const closed = toBlockList(BLOCKED_SUBNETS);
const publicIPv6 = toBlockList(['2000::/3']);

function toBlockList(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/');
    list.addSubnet(network, Number(prefix), isIPv4(network) ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** Whether a token may be sent to this address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !closed.check(address, 'ipv4');
  // A zone ("%eth0") is for local interfaces.
  if (!isIPv6(address) || address.includes('%')) return false;
  return publicIPv6.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}

/** Connects to the address that was checked: a second look-up could return another one (DNS rebinding). */
export function createGuardedConnector({
  timeoutMs,
  lookup = (host) => systemLookup(host, { all: true }),
}: ConnectorOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    lookup: toPublicLookup(lookup),
    // Explicit, so that no environment variable can disable it.
    rejectUnauthorized: true,
  });
  return (target, callback) => {
    const host = target.hostname.replace(/^\[|\]$/g, '');
    // Literal addresses bypass the look-up and its check, and no CRM has one.
    if (isIP(host) || target.protocol !== 'https:') {
      callback(new PrivateAddressError(`${host} is not a host that is called.`), null);
      return;
    }
    connect(target, callback);
  };
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

export type HostLookup = (
  host: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;
