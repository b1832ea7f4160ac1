import { Resolver } from 'node:dns/promises';
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

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

/**
 * Queries name servers directly, because the system's look-up uses a pool of four threads that look-ups of CRMs
 * share: a hanging name server of one application would block them.
 */
export function createHostResolver({
  servers,
}: {
  readonly servers?: readonly string[];
} = {}): HostLookup {
  const resolver = new Resolver({ timeout: TRY_MS, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (host) => {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = found.flatMap((family) =>
      family.status === 'fulfilled' ? family.value : [],
    );
    const [four] = found;
    if (addresses.length === 0 && four.status === 'rejected') throw four.reason;
    return addresses.map((address) => ({ address, family: isIP(address) }));
  };
}

const TRY_MS = 2_000;

export type HostLookup = (
  host: string,
) => Promise<readonly { readonly address: string; readonly family: number }[]>;
