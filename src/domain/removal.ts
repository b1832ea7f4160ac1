import type { Connection } from './connection.ts';
import type { ProviderName } from './provider-names.ts';

/** Removes what ONE application's customers are and have connected: credentials, cached answers and open links with it. */
export interface RemovalStore {
  /** Undefined where there is no such customer. Rejects with CONFLICT where its version is not the expected one. */
  removeCustomer(
    customerId: string,
    expectedVersion: number | undefined,
  ): Promise<readonly RemovedConnection[] | undefined>;
  /** Undefined where there is no such connection. */
  removeConnection(customerId: string, providerName: ProviderName): Promise<RemovedConnection | undefined>;
}

export interface RemovedConnection {
  readonly connection: Connection;
  /** What the customer granted by a link. Undefined where it was no link that brought the credentials: they are the application's own. */
  readonly grant: RemovedGrant | undefined;
}

/** No longer stored anywhere: it may be revoked at the provider now. */
interface RemovedGrant {
  readonly oauthClientId: string;
  readonly instanceUrl: string | null;
  readonly refreshToken: string;
  /** Another connection, of whichever customer and application, lives on the same grant: to end it would end that one. */
  readonly isShared: boolean;
}

/** What became of the grant at the provider. */
export const REVOCATIONS = ['REVOKED', 'SHARED', 'FAILED', 'NOT_SUPPORTED'] as const;
export type Revocation = (typeof REVOCATIONS)[number];
