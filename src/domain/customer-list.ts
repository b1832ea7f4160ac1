import type { ConnectionStatus } from './connection.ts';
import type { Direction } from './contact-search.ts';
import type { Customer } from './customer.ts';
import type { ProviderName } from './provider-names.ts';

/** All that is given must hold. */
export interface CustomerFilter {
  readonly customerIds?: readonly string[] | undefined;
  /** Compared without case. */
  readonly email?: string | undefined;
  /** Of one and the same connection: with this provider, and in this status. */
  readonly provider?: ProviderName | undefined;
  readonly status?: ConnectionStatus | undefined;
}

/** In the order of their ids. */
export interface CustomerPage {
  readonly customers: readonly Customer[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** In REST it carries its direction. */
  cursorOf(customer: Customer, direction?: Direction): string;
}
