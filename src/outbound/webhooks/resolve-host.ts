import { Resolver } from 'node:dns/promises';
import type { HostLookup } from '../http/guarded-connector.ts';

/**
 * Asks the name servers directly, as a public host's name allows. The system's own look-up takes a thread of a pool of four,
 * which the look-ups of CRMs share: an application whose name server hangs would hold them up.
 */
export function createHostResolver({ servers }: { readonly servers?: readonly string[] } = {}): HostLookup {
  const resolver = new Resolver({ timeout: TRY_MS, tries: 2 });
  if (servers) resolver.setServers(servers);
  return async (host) => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = [
      ...(four.status === 'fulfilled' ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === 'fulfilled' ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (addresses.length === 0 && four.status === 'rejected') throw four.reason;
    return addresses;
  };
}

const TRY_MS = 2_000;
