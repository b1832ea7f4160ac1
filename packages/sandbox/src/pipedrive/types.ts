import type { SandboxAccount } from '../account.ts';
import type { ConsentQuirks } from '../consent/quirks.ts';
import type { Headers } from '../http.ts';
import type { Meter } from '../limits.ts';
import type { Call, Route, Simulation } from '../simulation.ts';

export interface PipedriveTypes {
  readonly quirks: PipedriveQuirks;
  readonly limits: PipedriveLimits;
  readonly state: PipedriveState;
}

/** Deviations of accounts and of the live service; all off in a new account. */
export interface PipedriveQuirks extends ConsentQuirks {
  /** The indexing lag of searches in milliseconds: new persons are missing, and changed ones are found as they were. */
  readonly searchLagMs: number;
  /** A search by email also finds persons whose addresses only begin like it. */
  readonly searchMatchesTooMuch: boolean;
  /** The company has no contact sync: persons have no postal address, job title and notes. */
  readonly withoutContactSync: boolean;
  /** The definitions of custom fields of persons, by name: short texts by default. */
  readonly customFields: Readonly<Record<string, CustomFieldDefinition>>;
  /** Custom fields of persons that were deleted: their keys are in no record and in no list of fields. */
  readonly deletedFields: readonly string[];
  /** A list that names the key of a deleted custom field is rejected. */
  readonly refusesUnknownKeys: boolean;
  /** The last word of a name is the last name, rather than all but the first. */
  readonly lastWordIsLastName: boolean;
  /** The ids of records that another user deletes a moment before they are written. */
  readonly goneOnWrite: readonly string[];
  /** The most records of a page, whatever `limit` asks for. */
  readonly maxPageSize: number;
  /** A list's page may be empty, and have a cursor nevertheless. */
  readonly emptyPages: boolean;
  /** The response to a refresh has no `api_domain`. */
  readonly withoutApiDomain: boolean;
  /** A refresh returns another refresh token, and the old one becomes invalid. */
  readonly rotateRefreshTokens: boolean;
  /** Responses have no rate limit headers. */
  readonly withoutLimitHeaders: boolean;
  /** The scopes that the application has. */
  readonly grantedScopes: readonly string[];
}

export interface CustomFieldDefinition {
  readonly type: 'varchar' | 'text' | 'double' | 'monetary' | 'date' | 'enum' | 'set' | 'user';
  /** Default: the name. */
  readonly label?: string;
  /** Of `enum` and `set`: each option's id is its place, from 1. */
  readonly options?: readonly string[];
}

export interface PipedriveLimits {
  /** The tokens of a day, for the whole company. */
  readonly tokensPerDay: number;
  /** The calls of each OAuth token in any two seconds. */
  readonly callsPerTwoSeconds: number;
  /** The searches in any two seconds. */
  readonly searchesPerTwoSeconds: number;
  /** Refused calls in a minute after which Cloudflare refuses all with 403. Null: it never does. */
  readonly refusalsPerMinute: number | null;
}

/** Absent until the first call, and reset when the account's limits change. */
interface PipedriveState {
  meters?: PipedriveMeters;
}

export interface PipedriveMeters {
  readonly limits: PipedriveLimits;
  readonly calls: Meter;
  readonly searches: Meter;
  readonly refusals: Meter;
  day: number;
  spent: number;
}

/** What an endpoint receives once the caller is authenticated and within its limits. */
export interface EndpointContext {
  readonly account: PipedriveAccount;
  readonly call: PipedriveCall;
  /** The parameters of the path. */
  readonly parts: readonly string[];
}

export interface Reply {
  readonly status: number;
  readonly body: object;
  readonly headers?: Headers;
}

export type Endpoint = (context: EndpointContext) => Reply;
export type PipedriveCall = Call<PipedriveTypes>;
export type PipedriveRoute = Route<PipedriveTypes>;
export type PipedriveAccount = SandboxAccount<PipedriveTypes>;
export type PipedriveSimulation = Simulation<PipedriveTypes>;
