import type { ProviderName } from './provider-names.ts';

/** What an application has signed for one of its customers. */
export interface TokenRequest {
  readonly customerId: string;
  readonly expiresAt: Date;
  /** Absent: all of the customer's providers. */
  readonly providers?: readonly ProviderName[] | undefined;
}

export const DEFAULT_TOKEN_SECONDS = 60 * 60;
export const MAX_TOKEN_SECONDS = 24 * 60 * 60;
