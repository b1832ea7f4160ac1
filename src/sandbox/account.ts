import { type CallLog, createCallLog } from './call-log.ts';
import { createFaultQueue, type Fault, type FaultQueue, type FaultTiming } from './faults.ts';
import type { AccountIdentity, CrmTypes, Imitation } from './imitation.ts';
import type { Person } from './people.ts';
import { createPeopleTable, type PeopleTable } from './people-table.ts';
import type { TokenBook, TokenKind } from './tokens.ts';

/** One portal or organisation with its own people, tokens, limits, quirks and counters. */
export function createAccount<Crm extends CrmTypes>(setup: AccountSetup<Crm>): SandboxAccount<Crm> {
  const { imitation, identity, now, options } = setup;
  const people = createPeopleTable({ seed: setup.seed, now });
  const queue = createFaultQueue();
  const current = new Map<TokenKind, string>();
  let serial = 0;
  let quirks: Crm['quirks'] = { ...imitation.quirks, ...options.quirks };
  let limits: Crm['limits'] | null = setup.limits;
  const indexOf = (recordId: string): number => identity.indexOf(recordId) ?? 0;
  const account: SandboxAccount<Crm> = {
    ...identity,
    ...createCallLog({ now }),
    get accessToken() {
      return current.get('access') ?? '';
    },
    get refreshToken() {
      return current.get('refresh') ?? '';
    },
    staticToken: imitation.mintToken('static', identity, 0),
    get quirks() {
      return quirks;
    },
    get limits() {
      return limits;
    },
    people,
    faults: queue,
    state: imitation.openState({ now }),
    setQuirks(patch) {
      quirks = { ...quirks, ...patch };
    },
    setLimits(patch) {
      limits = patch === null ? null : { ...(limits ?? imitation.limits), ...patch };
    },
    fail(fault, timing) {
      queue.add(typeof fault === 'string' ? namedFault(imitation, fault, now()) : fault, timing);
    },
    clearFaults: () => queue.clear(),
    issueToken(kind) {
      const token = imitation.mintToken(kind, identity, serial) ?? '';
      serial += 1;
      const lifetimeMs = options.accessTokenTtlMs ?? imitation.accessTokenTtlMs;
      setup.tokens.enter({ token, account, kind, ...(kind === 'access' && { lifetimeMs }) });
      current.set(kind, token);
      return token;
    },
    endToken: (token, how) => setup.tokens.end(token, how),
    expireAccessToken: () => setup.tokens.end(account.accessToken, 'expired'),
    revoke() {
      for (const token of [account.accessToken, account.refreshToken, account.staticToken ?? ''])
        setup.tokens.end(token, 'revoked');
    },
    addPerson: (person) => identity.recordId(people.add(person)),
    updatePerson: (recordId, person) => people.change(indexOf(recordId), person),
    removePerson: (recordId) => people.change(indexOf(recordId), { isDeleted: true }),
  };
  if (account.staticToken) setup.tokens.enter({ token: account.staticToken, account, kind: 'static' });
  account.issueToken('refresh');
  account.issueToken('access');
  return account;
}

function namedFault<Crm extends CrmTypes>(imitation: Imitation<Crm>, name: string, now: number): Fault {
  const fault = imitation.faults[name];
  if (fault === undefined)
    throw new RangeError(
      `No fault is called ${name}. There are: ${Object.keys(imitation.faults).join(', ')}`,
    );
  return typeof fault === 'function' ? fault(now) : fault;
}

export interface SandboxAccount<Crm extends CrmTypes> extends AccountIdentity, CallLog {
  /** The newest ones. Older ones stay good until they expire or are revoked. */
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Undefined where the CRM has no tokens that never expire. */
  readonly staticToken: string | undefined;
  readonly people: PeopleTable;
  readonly faults: FaultQueue;
  readonly state: Crm['state'];
  readonly quirks: Readonly<Crm['quirks']>;
  setQuirks(patch: Partial<Crm['quirks']>): void;
  /** Null: no limits at all. */
  readonly limits: Readonly<Crm['limits']> | null;
  setLimits(patch: Partial<Crm['limits']> | null): void;
  /** The next call (or as timed) fails like this: any fault, or one of the CRM's own by name. */
  fail(fault: Fault | string, timing?: FaultTiming): void;
  clearFaults(): void;
  issueToken(kind: TokenKind): string;
  /** One token of this account: the newest or any other. */
  endToken(token: string, how: 'revoked' | 'expired'): void;
  expireAccessToken(): void;
  /** The customer uninstalls the application: no token of this account is good any more. */
  revoke(): void;
  /** The new person's record id. */
  addPerson(person: Partial<Person>): string;
  updatePerson(recordId: string, person: Partial<Person>): boolean;
  /** Deleted, as CRMs delete: into the bin. */
  removePerson(recordId: string): boolean;
}

export interface AccountOptions<Crm extends CrmTypes> {
  readonly people?: readonly Partial<Person>[] | undefined;
  readonly quirks?: Partial<Crm['quirks']> | undefined;
  /** Null: no limits. Absent: those of the sandbox. */
  readonly limits?: Partial<Crm['limits']> | null | undefined;
  readonly accessTokenTtlMs?: number | undefined;
}

interface AccountSetup<Crm extends CrmTypes> {
  readonly imitation: Imitation<Crm>;
  readonly identity: AccountIdentity;
  readonly seed: () => readonly Person[];
  readonly limits: Crm['limits'] | null;
  readonly options: AccountOptions<Crm>;
  readonly tokens: TokenBook<SandboxAccount<Crm>>;
  readonly now: () => number;
}
