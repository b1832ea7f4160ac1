import type { ErrorCode } from './errors.ts';
import type { ProviderName } from './provider-names.ts';

/** What requests have used: `cost` is the query cost that was charged to rate limits. */
export interface UsageCounts {
  readonly requests: number;
  /** Errors in responses. */
  readonly errors: number;
  /** Calls to CRMs, each attempt counted. */
  readonly providerCalls: number;
  readonly cost: number;
}

/**
 * Further counts by name: `error NOT_FOUND`, `ms 50` (responses within 50 ms, and slower than the next lower bound),
 * `calls` with a provider's name, `wait` (milliseconds in the queue of its rate limit), `limited`. Of a whole
 * application also `requests`, `errors` and `calls`, in total and by minute of the hour: `requests 17`.
 */
export type UsageTallies = Readonly<Record<string, number>>;

/** The names of the tallies of minutes, which a period of days leaves out. */
export const MINUTE_TALLIES = ['requests', 'errors', 'calls'].flatMap((name) =>
  Array.from({ length: 60 }, (_, minute) => `${name} ${minute}`),
);

/** An error of a response, to be found by its id. */
export interface RecentError {
  readonly id: string;
  readonly code: ErrorCode;
  readonly at: string;
  readonly provider: ProviderName | null;
  /** The id of the request, which is in the log, too. */
  readonly requestId: string;
}

/** The errors that are kept of one customer in an hour. */
export const MAX_RECENT_ERRORS = 10;

/** Upper bounds of latencies that are counted, in milliseconds. The last one has the others. */
export const LATENCY_BOUNDS_MS = [10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 60_000];

/** The counts of one customer in one hour. */
export interface UsageRow extends UsageCounts {
  /** Where the customer is empty: of all requests of the application. */
  readonly tallies?: UsageTallies | undefined;
  readonly recent?: readonly RecentError[] | undefined;
  readonly applicationId: string;
  /** Empty: requests that concern no customer, several, or one that is not counted by itself. */
  readonly customerId: string;
  /** The start of the hour, in milliseconds since 1970. */
  readonly hour: number;
}

/** What requests report to be counted. Without a customer they concern none, or several. */
export interface UsageMeter {
  request(
    owner: UsageOwner,
    used: Pick<UsageCounts, 'errors' | 'cost'>,
    facts?: RequestFacts,
  ): void;
  called(owner: UsageOwner, call?: CallFacts): void;
}

/** What else is counted of a request. */
export interface RequestFacts {
  readonly ms: number;
  readonly requestId: string;
  readonly errors: readonly { readonly id: string; readonly code: ErrorCode }[];
  readonly providers: readonly ProviderName[];
}

/** What else is counted of a call to a CRM. */
export interface CallFacts {
  readonly provider: ProviderName;
  readonly outcome: 'answered' | ErrorCode;
  readonly status: number | undefined;
  readonly waitedMs: number;
}

export interface UsageOwner {
  readonly applicationId: string;
  readonly customerId: string | undefined;
}

/** The stored usage of all applications. */
export interface UsageStore {
  /** Adds to what is stored. */
  add(rows: readonly UsageRow[]): Promise<void>;
  /** The sums of each application, those with the most requests first. */
  byApplication(
    query: UsageRange & { readonly limit: number },
  ): Promise<readonly (UsageCounts & { readonly applicationId: string; readonly name: string })[]>;
  /** The sums of each customer of an application, those with the most requests first. */
  byCustomer(
    query: UsageRange & { readonly applicationId: string; readonly limit: number },
  ): Promise<readonly (UsageCounts & { readonly customerId: string })[]>;
  /** The sums of each hour that has some, in order. */
  byHour(
    query: UsageRange & {
      readonly applicationId: string;
      readonly customerId: string | undefined;
    },
  ): Promise<readonly (UsageCounts & { readonly hour: Date })[]>;
}

/** The hours that begin within it; `until` is excluded. */
export interface UsageRange {
  readonly since: Date;
  readonly until: Date;
}

export const USAGE_KEPT_MS = 90 * 24 * 60 * 60_000;
export const HOUR_MS = 60 * 60_000;
