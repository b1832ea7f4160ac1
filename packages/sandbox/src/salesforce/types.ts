import type { SandboxAccount } from '../account.ts';
import type { ConsentQuirks } from '../consent/quirks.ts';
import type { Meter } from '../limits.ts';
import type { Call, Route, Simulation } from '../simulation.ts';
import type { CursorBook } from './resources/cursors.ts';
import type { Encryption } from './soql/table.ts';

export interface SalesforceTypes {
  readonly quirks: SalesforceQuirks;
  readonly limits: SalesforceLimits;
  readonly state: SalesforceState;
}

/** Differences between orgs, and deviations observed in the live service; all off in a new account. */
export interface SalesforceQuirks extends ConsentQuirks {
  /** The maximum of rows per page, whatever batch size was requested. */
  readonly maxBatchSize: number;
  /** The lifetime of a query cursor. */
  readonly cursorTtlMs: number;
  /** Ties of an ORDER BY change their order with every query. */
  readonly shuffleTies: boolean;
  /**
   * Queries see a change up to this long after its SystemModstamp: a transaction sets the stamp before it commits.
   */
  readonly commitLagMs: number;
  /** Error objects start with `errorCode` instead of `message`. */
  readonly errorCodeFirst: boolean;
  /** Query responses start with `done` instead of `totalSize`. */
  readonly doneFirst: boolean;
  readonly limitInfo: 'plain' | 'per-app' | 'bursts';
  /** Addresses have StateCode and CountryCode fields. */
  readonly stateAndCountryPicklists: boolean;
  /** The org has several currencies: its records have `CurrencyIsoCode`, which is no field elsewhere. */
  readonly multiCurrency: boolean;
  /** A contact can belong to several accounts: `AccountContactRelation` exists. */
  readonly contactsToMultipleAccounts: boolean;
  /** Fields that the user cannot see, of every object or with a prefix (`Account.Phone`) of one: they do not exist. */
  readonly hiddenFields: readonly string[];
  /** Objects that the user cannot see: to a query their type is unknown. */
  readonly hiddenObjects: readonly string[];
  /**
   * Fields under Shield Platform Encryption, by name. Probabilistic: cannot be filtered or sorted. Deterministic:
   * only filters on the whole value.
   */
  readonly encryptedFields: Readonly<Record<string, Encryption>>;
  /** The types of the org's custom fields (`Shoe_Size__c`, of other objects `Account.Tier__c`); strings by default. */
  readonly customFields: Readonly<Record<string, CustomField>>;
  /** The locale for comparing strings: in Turkish `I` is the capital of a dotless i. */
  readonly userLocale: 'en' | 'tr';
  /** A duplicate rule for contacts with one email address, which alerts or blocks. Leads match, too. */
  readonly duplicateRule: 'alert' | 'block' | null;
  /** The key with the duplicates is spelled `duplicateResut`, as some versions do. */
  readonly duplicateKeyMisspelt: boolean;
  /** The email addresses of the org's leads. */
  readonly leads: readonly string[];
  /** Contacts that another transaction has locked, by their email address: for the first write, or as `locksLast` says for all. */
  readonly lockedEmails: readonly string[];
  readonly locksLast: boolean;
  /** An administrator's rule: contacts with this value are refused with this text, and without fields. */
  readonly validationRule: {
    readonly field: string;
    readonly value: string;
    readonly message: string;
  } | null;
  /** Another stage of an opportunity is accepted, and the old one kept, as by automation of the org. */
  readonly stagesStay: boolean;
  /** A deleted record requested by id is ENTITY_IS_DELETED instead of NOT_FOUND. */
  readonly namesDeleted: boolean;
  /** A refresh returns another refresh token. Reuse of the old one revokes the new one, and all access tokens. */
  readonly rotateRefreshTokens: boolean;
  /** A refresh token expires when it is not used for this long. */
  readonly refreshTokenIdleMs: number | null;
  /** For this long after a refresh, another one with the same token is rejected as being processed. */
  readonly refreshBusyMs: number;
  /** Each call restarts the session's lifetime. */
  readonly sessionSlides: boolean;
  /** Access tokens are JWTs; an expired one gets an error about the authorization header. */
  readonly jwtAccessTokens: boolean;
  /** `issued_at` is in seconds, as older documents say. */
  readonly issuedAtInSeconds: boolean;
  /** The org has moved to this URL: the token response contains it, and the old host no longer serves the org. */
  readonly movedInstanceUrl: string | null;
  /** The client can refresh without its secret. */
  readonly secretIsOptional: boolean;
  /** A Salesforce sandbox org: its users log in at `test`, never at the production login host. */
  readonly isTestOrg: boolean;
  /** Its users log in only at the org's own domain. */
  readonly forbidsCommonLogin: boolean;
  /** The policy of the application grants no refresh token, whatever scopes were requested. */
  readonly withoutRefreshToken: boolean;
  /** An allowed consent redirects back with this error in place of a code: `OAUTH_APP_BLOCKED` and similar. */
  readonly callbackError: string | null;
  /** No app is installed in the org, and its users may not approve one: consents, exchanges and refreshes fail. */
  readonly blocksUninstalledApps: boolean;
  /** This account's application can request consent without PKCE, like legacy ones. */
  readonly pkceIsOptional: boolean;
  /** Verifiers above the standard's 128 characters are accepted: jsforce sends 171. */
  readonly takesLongVerifiers: boolean;
  /** A wrong verifier has the error code of a missing one, and vice versa. */
  readonly verifierErrorsSwapped: boolean;
  /** `access-denied`, as one of the vendor's pages spells it. */
  readonly deniedWithHyphen: boolean;
}

export interface CustomField {
  readonly type:
    | 'string'
    | 'textarea'
    | 'email'
    | 'phone'
    | 'url'
    | 'encryptedstring'
    | 'combobox'
    | 'int'
    | 'long'
    | 'double'
    | 'currency'
    | 'percent'
    | 'boolean'
    | 'date'
    | 'datetime'
    | 'time'
    | 'picklist'
    | 'multipicklist'
    | 'location';
  /** Default: derived from the name. */
  readonly label?: string;
  readonly values?: readonly string[];
  /** It takes its values only. */
  readonly isRestricted?: boolean;
  /** No two records have one value. */
  readonly isUnique?: boolean;
  /** A formula field. */
  readonly isCalculated?: boolean;
  /** No query can filter by it, as by a long text area. */
  readonly isUnfilterable?: boolean;
}

interface SalesforceLimits {
  /** In any 24 hours. */
  readonly requestsPerDay: number;
  /** The maximum of concurrent requests that have run for longer than `longRequestMs`. */
  readonly longRequests: number;
  readonly longRequestMs: number;
}

interface SalesforceState {
  readonly requests: Meter;
  readonly cursors: CursorBook;
  /** The writes of locked contacts. */
  readonly lockTries: Map<string, number>;
  /** Counts the queries whose ties were shuffled. */
  shuffles: number;
  /** The last refresh. */
  refreshed: { readonly token: string; readonly at: number } | undefined;
}

export type SalesforceCall = Call<SalesforceTypes>;
export type SalesforceRoute = Route<SalesforceTypes>;
export type SalesforceAccount = SandboxAccount<SalesforceTypes>;
export type SalesforceSimulation = Simulation<SalesforceTypes>;
