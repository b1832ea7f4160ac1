import type { SandboxAccount } from '../account.ts';
import type { ConsentQuirks } from '../consent/quirks.ts';
import type { Headers } from '../http.ts';
import type { Call, Imitation, Route } from '../imitation.ts';
import type { Meter } from '../limits.ts';

export interface HubSpotTypes {
  readonly quirks: HubSpotQuirks;
  readonly limits: HubSpotLimits;
  readonly state: HubSpotState;
}

/** What the live service was seen to do now and then; all off in a fresh account. */
interface HubSpotQuirks extends ConsentQuirks {
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
  /** A batch read by email does not look at further addresses. */
  readonly batchReadIgnoresAliases: boolean;
  /** Where two inputs lead to one contact, it comes twice. */
  readonly batchReadRepeatsRecords: boolean;
  /** Records have no `url`, as before 2025. */
  readonly withoutRecordUrl: boolean;
  /** A token answer has the four fields of old only. */
  readonly shortTokenAnswer: boolean;
  /** A refresh returns another refresh token, and the old one is dead. */
  readonly rotateRefreshTokens: boolean;
  /** The answer to a refresh leaves out `refresh_token`. */
  readonly withoutRefreshToken: boolean;
  /** Whoever comes with a refresh token that was replaced loses all tokens. Nothing says so: Salesforce does this. */
  readonly spentRefreshTokenEndsAll: boolean;
  /** Versions (`v1`, `2026-03`) that are over, each with the status that everything of it answers. */
  readonly endedVersions: Readonly<Record<string, 404 | 410>>;
  /** What the customer has allowed the application. */
  readonly grantedScopes: readonly string[];
  /** How datetimes are written: whole seconds were recorded, and old integrations stored milliseconds since 1970. */
  readonly dateForm: 'milliseconds' | 'seconds' | 'epoch';
  /** Texts of several values have empty parts. */
  readonly emptyParts: boolean;
  /** What the portal's own properties are, which are texts unless told. */
  readonly propertyTypes: Readonly<Record<string, CustomProperty>>;
  /** Links of one record in one answer; the rest follows by `after`. */
  readonly associationPageSize: number;
  /** Links to further companies carry a label of the portal's own. */
  readonly associationLabel: string | null;
  /** What this account's application declares as required: a request for consent that leaves one out is refused. */
  readonly requiredScopes: readonly string[];
  /** Each consent to one application gives a refresh token of its own. Off: the same one, as long as it lives. */
  readonly grantPerConsent: boolean;
  /** What is wrong with a code is said in HubSpot's own words alone, as before OAuth v3. */
  readonly oldAuthCodeErrors: boolean;
  /** The user is no administrator of the account: HubSpot says so itself, and nobody comes back. */
  readonly userMayNotInstall: boolean;
}

export interface CustomProperty {
  readonly type: 'string' | 'number' | 'date' | 'datetime' | 'bool' | 'enumeration';
  readonly fieldType: string;
  readonly options?: readonly string[];
  /** A record can be read by its value. */
  readonly hasUniqueValue?: boolean;
  /** Listed only for who asks for sensitive ones. */
  readonly isSensitive?: boolean;
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
  /** Of associations, which have limits of their own. How high is not documented; null: none. */
  readonly associationsPerTenSeconds: number | null;
}

/** Absent until the first call, and anew when the account's limits change. */
interface HubSpotState {
  meters?: HubSpotMeters;
}

export interface HubSpotMeters {
  readonly limits: HubSpotLimits;
  readonly second: Meter;
  readonly tenSeconds: Meter;
  readonly tenSecondsOAuth: Meter;
  readonly day: Meter;
  readonly associations: Meter;
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
