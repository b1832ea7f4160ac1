import type { ProviderName } from './provider-names.ts';

/** Who a request is made for: an application, or one customer of it. */
export interface Caller {
  readonly application: Application;
  /** The API key or the token that was used: names the rate limit's bucket, never the secret. */
  readonly credentialId: string;
  /** Present for a customer token: nothing but this customer may be touched. */
  readonly customer?: CustomerScope | undefined;
}

export interface Application {
  readonly id: string;
  readonly name: string;
}

export interface CustomerScope {
  readonly customerId: string;
  /** Absent: all of the customer's providers. */
  readonly providers?: readonly ProviderName[] | undefined;
}
