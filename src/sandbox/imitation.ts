import type { SandboxAccount } from './account.ts';
import type { NamedFault } from './faults.ts';
import type { Answer, SandboxRequest } from './http.ts';
import type { Person } from './people.ts';
import type { Grant, TokenKind } from './tokens.ts';

/** What one imitated CRM adds to the machinery that all of them share. */
export interface Imitation<Crm extends CrmTypes> {
  readonly name: 'hubspot' | 'salesforce';
  /** Of a fresh account: every quirk off. */
  readonly quirks: Crm['quirks'];
  /** Of a fresh account: what the vendor documents. */
  readonly limits: Crm['limits'];
  /** The CRM's own failures by name, for the control API and for tests. */
  readonly faults: Readonly<Record<string, NamedFault>>;
  readonly accessTokenTtlMs: number;
  /** Accounts that are there from the start beside the demo's: by a consent page a customer may connect them. */
  readonly others: readonly Standing<Crm>[];
  /** The address of a login host of the CRM on the sandbox's own port. */
  toLoginOrigin(host: string, origin: string): string;
  /** Who the account of that number is; 0 is the demo's. Always the same. */
  identify(number: number, origin: string): AccountIdentity;
  /** How many refresh tokens of one user and application live at once; absent: any number. */
  readonly maxApprovals?: number;
  /** A token of that account; undefined where the CRM has no such kind. The serial makes it another one. */
  mintToken(kind: TokenKind, account: Minting<Crm>, serial: number): string | undefined;
  /** Whatever else an account has to remember: counters of its limits, open cursors. */
  openState(context: { readonly now: () => number }): Crm['state'];
  /** What a request is about, before anything is checked. */
  route(request: SandboxRequest): Route<Crm>;
}

/** An account with a name and people of its own. */
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
  /** The name that counters and faults go by: `contacts.search`. */
  readonly operation: string;
  /** How many records a batch asks for; 1 elsewhere. */
  readonly inputs: number;
  /** The token that says whose call it is, whether good or not: of the header, or of a token request's form. */
  readonly token: string | undefined;
  answer(call: Call<Crm>): Answer | Promise<Answer>;
}

export interface Call<Crm extends CrmTypes> {
  readonly request: SandboxRequest;
  readonly now: number;
  readonly origin: string;
  /** Undefined: the token is unknown. It may be of the wrong kind, expired or revoked: the answer has to check. */
  readonly grant: Grant<SandboxAccount<Crm>> | undefined;
  /** All accounts: each is also the home of one application, which is registered with the CRM under its client id. */
  readonly accounts: readonly SandboxAccount<Crm>[];
  /** Looks up any token of this CRM, for requests that carry a second one. */
  findToken(token: string): Grant<SandboxAccount<Crm>> | undefined;
}

export interface AccountIdentity {
  readonly id: string;
  /** For people. */
  readonly name: string;
  /** The first label of its host names. */
  readonly slug: string;
  readonly instanceUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** A person's record id in this account, and back. */
  recordId(index: number): string;
  indexOf(recordId: string): number | undefined;
}
