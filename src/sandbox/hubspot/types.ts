import type { SandboxAccount } from '../account.ts';
import type { Headers } from '../http.ts';
import type { Call, Imitation, Route } from '../imitation.ts';
import type { Meter } from '../limits.ts';

export interface HubSpotTypes {
  readonly quirks: HubSpotQuirks;
  readonly limits: HubSpotLimits;
  readonly state: HubSpotState;
}

/** What the live service was seen to do now and then; all off in a fresh account. */
export interface HubSpotQuirks {
  /** Search sees changes only after so many milliseconds: new people are missing, removed and changed ones still found. */
  readonly searchLagMs: number;
  /** Search counts what it finds, and lists none of it. */
  readonly searchTotalWithoutResults: boolean;
  /** Search also returns this record (its id), whatever was asked for. */
  readonly searchStaleHit: string | null;
  /** `email EQ x` in a search also finds those who have x as a further address. Both were reported. */
  readonly searchEmailMatchesAliases: boolean;
  /**
   * Punctuation divides a value into tokens, and a wildcard is compared with each of them alone: `*@example.com` finds
   * nothing. Off: it is compared with the whole value as well. Neither is documented.
   */
  readonly searchTokensAreWords: boolean;
  /** `CONTAINS_TOKEN` is refused for enumerations, which further addresses are. */
  readonly searchRefusesTokensOfEnumerations: boolean;
  /** A search body of more than 3,000 characters is refused, as the documents say and the recordings do not. */
  readonly searchBodyLimit: boolean;
  /** Properties without a value are left out instead of null. */
  readonly omitUnsetProperties: boolean;
  /** A batch read that finds nothing at all is a 404 instead of a 207. */
  readonly batchReadAllMissingIs404: boolean;
  /** A batch read that names one record twice is refused, as a batch update is. */
  readonly batchReadRefusesDuplicates: boolean;
  /** Records have no `url`, as before 2025. */
  readonly withoutRecordUrl: boolean;
  /** A token answer has the four fields of old only. */
  readonly shortTokenAnswer: boolean;
  /** A refresh returns another refresh token, and the old one is dead. */
  readonly rotateRefreshTokens: boolean;
  /** The answer to a refresh leaves out `refresh_token`. */
  readonly withoutRefreshToken: boolean;
}

export interface HubSpotLimits {
  /** Of searches, by anybody in the portal. */
  readonly searchPerSecond: number;
  /** Of everything else but associations, in any ten seconds, with a static token. */
  readonly perTenSeconds: number;
  /** The same with the token of an OAuth application. */
  readonly perTenSecondsOAuth: number;
  /** With a static token only. */
  readonly perDay: number;
}

/** Absent until the first call, and anew when the account's limits change. */
export interface HubSpotState {
  meters?: HubSpotMeters;
}

export interface HubSpotMeters {
  readonly limits: HubSpotLimits;
  readonly second: Meter;
  readonly tenSeconds: Meter;
  readonly tenSecondsOAuth: Meter;
  readonly day: Meter;
}

/** What an endpoint gets when the caller is known and within its limits. */
export interface Visit {
  readonly account: HubSpotAccount;
  readonly call: HubSpotCall;
  /** The parts of the path that the endpoint's pattern captures, decoded. */
  readonly parts: readonly string[];
}

export interface Reply {
  readonly status: number;
  readonly body: object;
  readonly headers?: Headers;
}

export type Endpoint = (visit: Visit) => Reply;
export type HubSpotCall = Call<HubSpotTypes>;
export type HubSpotRoute = Route<HubSpotTypes>;
export type HubSpotAccount = SandboxAccount<HubSpotTypes>;
export type HubSpotImitation = Imitation<HubSpotTypes>;
