import { MAX_WEBHOOK_URL_LENGTH } from '../../domain/webhook.ts';
import { isPublicAddress } from '../http/addresses.ts';
import type { HostLookup } from '../http/guarded-connector.ts';
import { isLiteralAddress, isLoopbackUrl } from './open-host.ts';
import { createHostResolver } from './resolve-host.ts';

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

export type CheckWebhookUrl = (
  url: string,
) => Promise<{ readonly url: string } | { readonly problem: string }>;

interface CheckOptions {
  /** http: to this machine, for the sandbox. */
  readonly mayLoopback: boolean;
  readonly lookup?: HostLookup | undefined;
}
