import type { Provider } from '../../domain/provider.ts';
import { listRedirectUris } from '../../domain/redirect-uri.ts';
import type { Finding } from './finding.ts';

/** What is to be registered with each vendor, to be copied from here. Without PUBLIC_URL links cannot be made: a warning. */
export function checkRedirectUris(
  publicUrl: string | undefined,
  providers: Iterable<Provider>,
): readonly Finding[] {
  if (publicUrl === undefined) {
    const detail = 'PUBLIC_URL is not set: customers cannot be sent to a CRM by a link';
    return [{ subject: 'redirect URIs', state: 'warning', detail }];
  }
  return listRedirectUris(publicUrl, providers).map(({ provider, uri }) => ({
    ...{ subject: `${provider} redirect URI`, state: 'ok', detail: uri },
  }));
}
