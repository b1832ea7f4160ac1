import type { SandboxAccount } from '../account.ts';
import type { ConsentQuirks } from '../consent/quirks.ts';
import type { Headers } from '../http.ts';
import type { Meter } from '../limits.ts';
import type { Call, Route, Simulation } from '../simulation.ts';

export interface HubSpotTypes {
  readonly quirks: HubSpotQuirks;
  readonly limits: HubSpotLimits;
  readonly state: HubSpotState;
}

/** Deviations that were observed in the live service; all off in a new account. */
export interface HubSpotQuirks extends ConsentQuirks {
  /**
   * The indexing lag of search in milliseconds: new people are missing, deleted and changed ones are still found.
   */
  readonly searchLagMs: number;
  /** Each change has an indexing lag of its own, up to `searchLagMs`. */
  readonly searchLagVaries: boolean;
  /** Search returns a total without results. */
  readonly searchTotalWithoutResults: boolean;
  /** Search always returns this record (by id) as well. */
  readonly searchStaleHit: string | null;
  /** In a search, `email EQ x` also matches secondary emails. Both behaviours were reported. */
  readonly searchEmailMatchesAliases: boolean;
  /**
   * Punctuation splits a value into tokens, and a wildcard is matched against each token only: `*@example.com`
   * finds nothing. Off: it is matched against the whole value as well. Neither is documented.
   */
  readonly searchTokensAreWords: boolean;
  /** `CONTAINS_TOKEN` is rejected for enumerations, which secondary emails are. */
  readonly searchRefusesTokensOfEnumerations: boolean;
  /**
   * A search body of more than 3,000 characters is rejected, as documented; recordings show that it was accepted.
   */
  readonly searchBodyLimit: boolean;
  /** Unset properties are omitted instead of null. */
  readonly omitUnsetProperties: boolean;
  /** A batch read without any result is a 404 instead of a 207. */
  readonly batchReadAllMissingIs404: boolean;
  /** A batch read with duplicate ids is rejected, like a batch update. */
  readonly batchReadRefusesDuplicates: boolean;
  /** A batch read by email ignores secondary emails. */
  readonly batchReadIgnoresAliases: boolean;
  /** When two inputs match one contact, it is returned twice. */
  readonly batchReadRepeatsRecords: boolean;
  /** A batch that was written in part answers 200 instead of 207. */
  readonly writeErrorsInSuccess: boolean;
  /** Results of a batch do not repeat the trace ids. */
  readonly writeResultsWithoutTraceIds: boolean;
  /** Of several bad properties, `errors` has the first only. */
  readonly shortErrorLists: boolean;
  /** An upsert by an additional email address does not find the contact. */
  readonly upsertIgnoresAliases: boolean;
  /** An earlier lifecycle stage replaces a later one. */
  readonly stagesMoveBack: boolean;
  /** Another stage of a deal is accepted, and the old one kept, as by a rule of the portal. */
  readonly dealStagesStay: boolean;
  /** Properties that a deal in a closed stage has to have. */
  readonly closedDealsRequire: readonly string[];
  /** Properties that a creation requires, as the portal's form does. */
  readonly createRequires: readonly string[];
  /** Rules that an administrator has set: regular expressions that values must match. */
  readonly propertyRules: Readonly<Record<string, string>>;
  /** Records have no `url`, as before 2025. */
  readonly withoutRecordUrl: boolean;
  /** A token response has only its four original fields. */
  readonly shortTokenAnswer: boolean;
  /** A refresh returns another refresh token, and the old one becomes invalid. */
  readonly rotateRefreshTokens: boolean;
  /** A refresh response omits `refresh_token`. */
  readonly withoutRefreshToken: boolean;
  /** Reuse of a rotated refresh token revokes all tokens. Not documented by HubSpot: Salesforce does this. */
  readonly spentRefreshTokenEndsAll: boolean;
  /** Retired versions (`v1`, `2026-03`), each with the status of all its responses. */
  readonly endedVersions: Readonly<Record<string, 404 | 410>>;
  /** The scopes that the customer has granted to the application. */
  readonly grantedScopes: readonly string[];
  /** The format of datetimes: whole seconds were recorded, and old integrations stored epoch milliseconds. */
  readonly dateForm: 'milliseconds' | 'seconds' | 'epoch';
  /** Multi-value strings contain empty parts. */
  readonly emptyParts: boolean;
  /** The types of the portal's own properties; strings by default. Of other objects than contacts: `company.tier`. */
  readonly propertyTypes: Readonly<Record<string, CustomProperty>>;
  /**
   * Properties, standard or own, that the application cannot see: they do not exist for it. A name counts for every
   * object, or with a prefix (`company.phone`) for one.
   */
  readonly hiddenProperties: readonly string[];
  /** The associations of one record per response; the rest follows by `after`. */
  readonly associationPageSize: number;
  /** The currency of the portal. */
  readonly companyCurrency: string;
  /** Further currencies of deals. Empty: the portal has one currency, and deals do not name it. */
  readonly additionalCurrencies: readonly string[];
  /** Associations with further companies have a label of the portal's own. */
  readonly associationLabel: string | null;
  /** The required scopes of this account's application: a consent request without one of them is rejected. */
  readonly requiredScopes: readonly string[];
  /**
   * Each consent to one application returns a refresh token of its own. Off: the same one, as long as it is valid.
   */
  readonly grantPerConsent: boolean;
  /** Errors for an invalid code have HubSpot's format only, as before OAuth v3. */
  readonly oldAuthCodeErrors: boolean;
  /** The user is not an administrator of the account: HubSpot shows an error and does not redirect back. */
  readonly userMayNotInstall: boolean;
}

export interface CustomProperty {
  readonly type:
    | 'string'
    | 'number'
    | 'date'
    | 'datetime'
    | 'bool'
    | 'enumeration'
    | 'phone_number'
    | 'object_coordinates'
    | 'json';
  readonly fieldType: string;
  /** Default: the name. */
  readonly label?: string;
  readonly description?: string;
  readonly options?: readonly string[];
  /** The type of the records whose ids are the options, such as `OWNER`. */
  readonly referencedObjectType?: string;
  /** Users do not see it; its values are returned all the same. */
  readonly hidden?: boolean;
  /** A search cannot filter by it: HubSpot does not say which properties these are. */
  readonly isUnsearchable?: boolean;
  /** A record can be read by the value of this property. */
  readonly hasUniqueValue?: boolean;
  /** Listed only on request for sensitive properties. */
  readonly isSensitive?: boolean;
}

export interface HubSpotLimits {
  /** The limit for searches, for the whole portal. */
  readonly searchPerSecond: number;
  /** The limit for all other calls except associations, in any ten seconds, with a static token. */
  readonly perTenSeconds: number;
  /** The same with the token of an OAuth application. */
  readonly perTenSecondsOAuth: number;
  /** The daily quota of a static token. */
  readonly perDay: number;
  /** The limit for associations, which have one of their own. Its value is not documented; null: no limit. */
  readonly associationsPerTenSeconds: number | null;
}

/** Absent until the first call, and reset when the account's limits change. */
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

/** What an endpoint receives once the caller is authenticated and within its limits. */
export interface EndpointContext {
  readonly account: HubSpotAccount;
  readonly call: HubSpotCall;
  /** The parameters that the endpoint's pattern captures from the path, decoded. */
  readonly parts: readonly string[];
}

export interface Reply {
  readonly status: number;
  readonly body: object;
  readonly headers?: Headers;
}

export type Endpoint = (context: EndpointContext) => Reply;
export type HubSpotCall = Call<HubSpotTypes>;
export type HubSpotRoute = Route<HubSpotTypes>;
export type HubSpotAccount = SandboxAccount<HubSpotTypes>;
export type HubSpotSimulation = Simulation<HubSpotTypes>;
