import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { MAX_WEBHOOK_URL_LENGTH } from '../../domain/event.ts';
import { type HostLookup, isPublicAddress } from '../http/addresses.ts';

/**
 * May events be sent there? A problem is told early; what counts is the address that is connected to, which is checked
 * each time. A name that cannot be resolved yet passes: it may be about to.
 */
export function createWebhookUrlCheck({
  mayLoopback,
  lookup = createHostResolver(),
}: CheckOptions): CheckWebhookUrl {
  return async (text) => {
    const url = text.length <= MAX_WEBHOOK_URL_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
    if (!url) return { problem: `is no URL of at most ${MAX_WEBHOOK_URL_LENGTH} characters` };
    if (url.username || url.password || text.includes('#')) {
      return { problem: 'must have neither a user nor a fragment' };
    }
    if (mayLoopback && isLoopbackUrl(url)) return { url: url.href };
    if (url.protocol !== 'https:') return { problem: 'must be an https: URL' };
    if (isLiteralAddress(url)) return { problem: 'must have a host name, not an address' };
    const addresses = await lookup(url.hostname).catch(() => []);
    if (addresses.length > 0 && !addresses.some(({ address }) => isPublicAddress(address))) {
      return { problem: 'must be public: its host has a private address' };
    }
    return { url: url.href };
  };
}

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

/** http: on this machine is for trying things out: only where the sandbox is on. */
export function isLoopbackUrl(url: URL): boolean {
  return url.protocol === 'http:' && LOOPBACK.has(url.hostname);
}

/** A literal address passes no look-up, and is refused with the private ones. */
function isLiteralAddress(url: URL): boolean {
  return isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

type CheckWebhookUrl = (url: string) => Promise<{ readonly url: string } | { readonly problem: string }>;

interface CheckOptions {
  /** http: to this machine, for the sandbox. */
  readonly mayLoopback: boolean;
  readonly lookup?: HostLookup | undefined;
}
