import type { ProviderName } from './provider-names.ts';

/** Connections, of all applications, whose credentials nobody has used for days. */
export interface IdleCredentials {
  /** May this process work on them now? Until the lease ends no other may. Asked again, it is longer. */
  holdLease(holder: string, leaseMs: number): Promise<boolean>;
  /**
   * Those that have been idle the longest. Nobody else is given them until `retryAt` has passed the same time of idleness,
   * whatever becomes of whoever has claimed them. What cannot be renewed is passed over, and counts as used.
   */
  claim(wanted: WantedIdle): Promise<readonly IdleConnection[]>;
  /** There is nothing to renew: it counts as used. */
  passOver(idle: IdleConnection): Promise<void>;
}

export interface WantedIdle {
  readonly providers: readonly ProviderName[];
  /** Not used since. */
  readonly idleBefore: Date;
  /** From then on they count as used. */
  readonly claimedAs: Date;
  readonly limit: number;
}

export interface IdleConnection {
  readonly applicationId: string;
  readonly connectionId: string;
  readonly customerId: string;
  readonly providerName: ProviderName;
  readonly generation: number;
}
