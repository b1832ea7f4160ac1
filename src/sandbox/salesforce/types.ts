import type { SandboxAccount } from '../account.ts';
import type { ConsentQuirks } from '../consent/quirks.ts';
import type { Call, Imitation, Route } from '../imitation.ts';
import type { Meter } from '../limits.ts';
import type { CursorBook } from './resources/cursors.ts';
import type { Encryption } from './soql/table.ts';

export interface SalesforceTypes {
  readonly quirks: SalesforceQuirks;
  readonly limits: SalesforceLimits;
  readonly state: SalesforceState;
}

/** What organisations differ in, and what the live service was seen to do; all off in a fresh account. */
export interface SalesforceQuirks extends ConsentQuirks {
  /** A page of a query has at most so many rows, whatever batch size was asked for. */
  readonly maxBatchSize: number;
  /** How long a query can be continued. */
  readonly cursorTtlMs: number;
  /** Rows that tie in an ORDER BY come in another order with every query. */
  readonly shuffleTies: boolean;
  /** Error objects start with `errorCode` instead of `message`. */
  readonly errorCodeFirst: boolean;
  /** Query answers start with `done` instead of `totalSize`. */
  readonly doneFirst: boolean;
  readonly limitInfo: 'plain' | 'per-app' | 'bursts';
  /** Addresses have StateCode and CountryCode fields. */
  readonly stateAndCountryPicklists: boolean;
  /** Fields that the user may not see: to a query they do not exist. */
  readonly hiddenFields: readonly string[];
  /** Objects that the user may not see: to a query they are of no known type. */
  readonly hiddenObjects: readonly string[];
  /**
   * Fields under Shield Platform Encryption, by name. Probabilistic: no filter, no order. Deterministic: only filters that
   * compare the whole value.
   */
  readonly encryptedFields: Readonly<Record<string, Encryption>>;
  /** What the organisation's own fields are (`Shoe_Size__c`), which are texts unless told. */
  readonly customFields: Readonly<Record<string, CustomField>>;
  /** Whose rules texts compare by: in Turkish `I` is the capital of a dotless i. */
  readonly userLocale: 'en' | 'tr';
  /** A deleted record asked for by id is ENTITY_IS_DELETED instead of NOT_FOUND. */
  readonly namesDeleted: boolean;
  /** A refresh returns another refresh token. Who comes with the old one ends the new one, and all access tokens. */
  readonly rotateRefreshTokens: boolean;
  /** A refresh token that nobody uses for so long is dead. */
  readonly refreshTokenIdleMs: number | null;
  /** For so long after a refresh another one with the same token is refused as being processed. */
  readonly refreshBusyMs: number;
  /** Each call lets the session's time begin anew. */
  readonly sessionSlides: boolean;
  /** Access tokens are JWTs; of one that has expired nothing but the header is blamed. */
  readonly jwtAccessTokens: boolean;
  /** `issued_at` counts seconds, as older documents say. */
  readonly issuedAtInSeconds: boolean;
  /** The organisation lives at this URL now: the token answer says so, and the old host has nothing any more. */
  readonly movedInstanceUrl: string | null;
  /** The client may refresh without its secret. */
  readonly secretIsOptional: boolean;
  /** A sandbox of theirs: its users log in at `test`, never at the common login host. */
  readonly isTestOrg: boolean;
  /** Its users log in at the organisation's own domain alone. */
  readonly forbidsCommonLogin: boolean;
  /** The policy for the application gives no refresh token, whatever was asked for. */
  readonly withoutRefreshToken: boolean;
  /** Who allows the application comes back with this error in place of a code: `OAUTH_APP_BLOCKED` and its like. */
  readonly callbackError: string | null;
  /** This account's application may ask without PKCE, as those of old may. */
  readonly pkceIsOptional: boolean;
  /** Verifiers above the 128 characters of the rule pass: jsforce has always sent 171. */
  readonly takesLongVerifiers: boolean;
  /** A wrong verifier has the error code of a missing one, and the other way round. */
  readonly verifierErrorsSwapped: boolean;
  /** `access-denied`, as a page of theirs spells it. */
  readonly deniedWithHyphen: boolean;
}

export interface CustomField {
  readonly type: 'string' | 'textarea' | 'double' | 'boolean' | 'date' | 'datetime' | 'picklist' | 'url';
  readonly values?: readonly string[];
  /** A formula. */
  readonly isCalculated?: boolean;
}

interface SalesforceLimits {
  /** In any 24 hours. */
  readonly requestsPerDay: number;
  /** Requests at once that have run for longer than `longRequestMs`. */
  readonly longRequests: number;
  readonly longRequestMs: number;
}

interface SalesforceState {
  readonly requests: Meter;
  readonly cursors: CursorBook;
  /** Counts the queries whose ties were shuffled. */
  shuffles: number;
  /** The last refresh. */
  refreshed: { readonly token: string; readonly at: number } | undefined;
}

export type SalesforceCall = Call<SalesforceTypes>;
export type SalesforceRoute = Route<SalesforceTypes>;
export type SalesforceAccount = SandboxAccount<SalesforceTypes>;
export type SalesforceImitation = Imitation<SalesforceTypes>;
