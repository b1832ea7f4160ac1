import type { ConnectFailure } from './connect-failure.ts';
import type { ConnectLinkStatus } from './connect-link.ts';
import type { ConnectionStatus, StatusReason } from './connection.ts';
import type { ProviderName } from './provider-names.ts';
import type { SyncError, SyncKind } from './sync.ts';
import type { RecentError, UsageCounts, UsageRange, UsageTallies } from './usage.ts';

/** What operators look at, over all applications. Nothing is changed. */
export interface OperatorViews {
  /** Totals of each application and hour, or of one application. */
  usageOfApplications(
    query: UsageRange & { readonly applicationId: string | undefined },
  ): Promise<readonly ApplicationUsage[]>;
  /** The same of one customer, with its latest errors. */
  usageOfCustomer(
    query: UsageRange & { readonly applicationId: string; readonly customerId: string },
  ): Promise<readonly CustomerUsage[]>;
  /** Connections that have to be authorized again, the latest first. */
  connectionsToRenew(limit: number): Promise<readonly ConnectionToRenew[]>;
  /** Syncs that have failed, or whose table is older than three intervals. */
  syncsBehind(limit: number): Promise<readonly SyncBehind[]>;
  endpointsFailing(limit: number): Promise<readonly EndpointFailing[]>;
  searchCustomers(query: CustomerSearch): Promise<readonly FoundCustomer[]>;
  /** The latest links of a customer. */
  linksOf(customer: CustomerOf, limit: number): Promise<readonly ListedLink[]>;
  /** The runs of a customer's syncs, the latest first. */
  syncRunsOf(customer: CustomerOf, limit: number): Promise<readonly ListedRun[]>;
  /** How an endpoint responded, the latest first; or how endpoints responded to an event. */
  responses(query: ResponsesQuery): Promise<readonly ListedResponse[]>;
  /** Events that wait for their delivery to an endpoint, the next first. */
  pendingDeliveries(query: OfEndpoint, limit: number): Promise<readonly PendingDelivery[]>;
}

interface CustomerOf {
  readonly applicationId: string;
  readonly customerId: string;
}

export interface ApplicationUsage {
  readonly applicationId: string;
  readonly hour: Date;
  readonly tallies: UsageTallies;
}

export interface CustomerUsage extends UsageCounts {
  readonly hour: Date;
  readonly tallies: UsageTallies | null;
  readonly recentErrors: readonly RecentError[] | null;
}

interface OfCustomer extends CustomerOf {
  readonly application: string;
  readonly providerName: ProviderName;
}

export interface ConnectionToRenew extends OfCustomer {
  readonly status: ConnectionStatus;
  readonly statusReason: StatusReason | null;
  readonly statusChangedAt: Date;
}

export interface SyncBehind extends OfCustomer {
  readonly object: string;
  readonly table: string;
  readonly failures: number;
  readonly syncedUntil: Date | null;
  readonly error: SyncError | null;
}

export interface EndpointFailing {
  readonly applicationId: string;
  readonly application: string;
  readonly id: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly lastFailure: string | null;
}

/** By the beginning of the id or the name, in any case; then the results by id come first. */
export interface CustomerSearch {
  readonly applicationId: string;
  /** Empty: all customers. */
  readonly prefix: string;
  /** Only customers with a connection of this status. */
  readonly status: ConnectionStatus | undefined;
  readonly after: CustomerPosition | undefined;
  readonly limit: number;
}

/** The key of the last result of a page. */
export interface CustomerPosition {
  readonly by: 'id' | 'name';
  readonly key: string;
  readonly customerId: string;
}

export interface FoundCustomer extends CustomerPosition {
  readonly name: string;
  readonly email: string;
  readonly connections: readonly {
    readonly providerName: ProviderName;
    readonly status: ConnectionStatus;
    readonly statusReason: StatusReason | null;
    readonly statusChangedAt: string;
  }[];
}

export interface ListedLink {
  readonly id: string;
  readonly purpose: string;
  readonly status: ConnectLinkStatus;
  readonly failure: ConnectFailure | null;
  readonly providers: readonly ProviderName[];
  readonly providerName: ProviderName | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface ListedRun {
  readonly providerName: ProviderName;
  readonly kind: SyncKind;
  readonly object: string;
  readonly startedAt: Date;
  readonly finishedAt: Date;
  readonly isFull: boolean;
  readonly records: number;
  readonly deleted: number;
  readonly error: SyncError | null;
}

interface OfEndpoint {
  readonly applicationId: string;
  readonly endpointId: string;
}

export interface ResponsesQuery {
  readonly applicationId: string;
  readonly endpointId: string | undefined;
  readonly eventId: string | undefined;
  readonly before: Date | undefined;
  readonly limit: number;
}

export interface ListedResponse {
  readonly eventId: string;
  readonly endpointId: string;
  readonly type: string;
  readonly customerId: string;
  readonly attempt: number;
  readonly status: number | null;
  readonly reason: string | null;
  readonly body: string | null;
  readonly ms: number;
  readonly createdAt: Date;
}

export interface PendingDelivery {
  readonly eventId: string;
  readonly type: string;
  readonly customerId: string;
  readonly attempts: number;
  readonly nextAttemptAt: Date;
  readonly createdAt: Date;
}
