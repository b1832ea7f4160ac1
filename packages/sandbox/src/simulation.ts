import type { SandboxAccount } from './account.ts';
import type { NamedFault } from './faults.ts';
import type { Answer, SandboxRequest } from './http.ts';
import type { Person } from './people.ts';
import type { RecordKind } from './records.ts';
import type { Grant, TokenKind } from './tokens.ts';

/** What one simulated CRM adds to the shared implementation. */
export interface Simulation<Crm extends CrmTypes> {
  readonly name: string;
  /** The quirks of a new account: all off. */
  readonly quirks: Crm['quirks'];
  /** What differs in the demo's account. */
  readonly demoQuirks: Partial<Crm['quirks']>;
  /** The limits of a new account, as documented by the vendor. */
  readonly limits: Crm['limits'];
  /** The CRM's named faults, for the control API and for tests. */
  readonly faults: Readonly<Record<string, NamedFault>>;
  readonly accessTokenTtlMs: number;
  /** Further accounts that exist from the start: a customer can connect them on the consent page. */
  readonly others: readonly Standing<Crm>[];
  /** The URL on the sandbox's own port that simulates a login host of the CRM. */
  toLoginOrigin(host: string, origin: string): string;
  /** The identity of the account with that number; 0 is the demo's. Deterministic. */
  identify(number: number, origin: string): AccountIdentity;
  /** Companies that exist in every account, whether people refer to them or not. */
  readonly leastCompanies: number;
  /** Converts between a record's index and its id, which all accounts have in common. */
  toRecordId(kind: RecordKind, index: number): string;
  toRecordIndex(kind: RecordKind, id: string): number;
  /** How many refresh tokens of one user and application are valid at once; absent: unlimited. */
  readonly maxApprovals?: number;
  /** A token of that account; undefined if the CRM has no such kind. The serial makes it unique. */
  mintToken(kind: TokenKind, account: Minting<Crm>, serial: number): string | undefined;
  /** Further state of an account: rate limit counters, open cursors. */
  openState(context: { readonly now: () => number }): Crm['state'];
  /** Classifies a request before anything is checked. */
  route(request: SandboxRequest): Route<Crm>;
}

/** A predefined account with its own name and people. */
interface Standing<Crm extends CrmTypes> {
  readonly number: number;
  readonly people: readonly Partial<Person>[];
  readonly quirks?: Partial<Crm['quirks']> | undefined;
}

export interface Minting<Crm extends CrmTypes> extends AccountIdentity {
  readonly quirks: Readonly<Crm['quirks']>;
}

/** The types that differ from CRM to CRM. */
export interface CrmTypes {
  readonly quirks: object;
  readonly limits: object;
  readonly state: unknown;
}

export interface Route<Crm extends CrmTypes> {
  /** The operation in counters and faults: `contacts.search`. */
  readonly operation: string;
  /** The number of records in a batch request; 1 otherwise. */
  readonly inputs: number;
  /** The token that identifies the account, valid or not: from the header, or from the form of a token request. */
  readonly token: string | undefined;
  answer(call: Call<Crm>): Answer | Promise<Answer>;
}

export interface Call<Crm extends CrmTypes> {
  readonly request: SandboxRequest;
  readonly now: number;
  readonly origin: string;
  /**
   * Undefined: the token is unknown. A known one can still be of the wrong kind, expired or revoked: the endpoint
   * must check.
   */
  readonly grant: Grant<SandboxAccount<Crm>> | undefined;
  /**
   * All accounts: each is also the home of one application, which is registered with the CRM under its client id.
   */
  readonly accounts: readonly SandboxAccount<Crm>[];
  /** Looks up any token of this CRM, for requests that contain a second one. */
  findToken(token: string): Grant<SandboxAccount<Crm>> | undefined;
}

export interface AccountIdentity {
  readonly id: string;
  /** The display name. */
  readonly name: string;
  /** The first label of its host names. */
  readonly slug: string;
  readonly instanceUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Converts between a person's index and its record id in this account. */
  recordId(index: number): string;
  indexOf(recordId: string): number | undefined;
}
