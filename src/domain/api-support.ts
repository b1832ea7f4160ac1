import type { Provider } from './provider.ts';
import type { ProviderName } from './provider-names.ts';

/** The provider APIs with a known end of support. */
export function readApiSupport(providers: Iterable<Provider>, now: number): readonly ApiSupport[] {
  return [...providers].flatMap(({ name, contacts }) => {
    if (!contacts?.apiVersion) return [];
    const { version, supportedUntil } = contacts.apiVersion;
    const end = Date.parse(supportedUntil);
    return [
      { provider: name, version, supportedUntil, endsSoon: end - now < HALF_A_YEAR_MS, isOver: end < now },
    ];
  });
}

const HALF_A_YEAR_MS = 183 * 24 * 60 * 60 * 1_000;

export interface ApiVersion {
  readonly version: string;
  /** The date from which the vendor no longer supports it, such as `2027-09-30`. */
  readonly supportedUntil: string;
}

export interface ApiSupport extends ApiVersion {
  readonly provider: ProviderName;
  /** In half a year at the latest: time for a release with the next version. */
  readonly endsSoon: boolean;
  readonly isOver: boolean;
}
