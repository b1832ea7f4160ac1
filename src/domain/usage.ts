/** What requests have used: `cost` is the query cost that was charged to rate limits. */
export interface UsageCounts {
  readonly requests: number;
  /** Errors in responses. */
  readonly errors: number;
  /** Calls to CRMs, each attempt counted. */
  readonly providerCalls: number;
  readonly cost: number;
}

/** The counts of one customer in one hour. */
export interface UsageRow extends UsageCounts {
  readonly applicationId: string;
  /** Empty: requests that concern no customer, several, or one that is not counted by itself. */
  readonly customerId: string;
  /** The start of the hour, in milliseconds since 1970. */
  readonly hour: number;
}

/** What requests report to be counted. Without a customer they concern none, or several. */
export interface UsageMeter {
  request(owner: UsageOwner, used: Pick<UsageCounts, 'errors' | 'cost'>): void;
  called(owner: UsageOwner): void;
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
    wanted: UsageRange & { readonly limit: number },
  ): Promise<readonly (UsageCounts & { readonly applicationId: string; readonly name: string })[]>;
  /** The sums of each customer of an application, those with the most requests first. */
  byCustomer(
    wanted: UsageRange & { readonly applicationId: string; readonly limit: number },
  ): Promise<readonly (UsageCounts & { readonly customerId: string })[]>;
  /** The sums of each hour that has some, in order. */
  byHour(
    wanted: UsageRange & {
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
