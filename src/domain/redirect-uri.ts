import type { Provider } from './provider.ts';
import type { ProviderName } from './provider-names.ts';

/** Where a provider sends customers back to: registered with it letter by letter, one for each provider. */
export function toRedirectUri(publicUrl: string, provider: ProviderName): string {
  return `${publicUrl}/connect/callback/${provider}`;
}

/** Of the providers that customers can be sent to. */
export function listRedirectUris(
  publicUrl: string,
  providers: Iterable<Pick<Provider, 'name' | 'authorization'>>,
): readonly RedirectUri[] {
  return [...providers]
    .filter(({ authorization }) => authorization !== undefined)
    .map(({ name }) => ({ provider: name, uri: toRedirectUri(publicUrl, name) }));
}

export interface RedirectUri {
  readonly provider: ProviderName;
  readonly uri: string;
}
