import { type AccountSettings, openSettings } from './account-settings.ts';
import { type AccountTokens, openTokens } from './account-tokens.ts';
import { type CallLog, createCallLog } from './call-log.ts';
import type { AccountIdentity, CrmTypes, Imitation } from './imitation.ts';
import type { Person } from './people.ts';
import { createPeopleTable, type PeopleTable, type Seed } from './people-table.ts';
import type { TokenBook } from './tokens.ts';

/** One portal or org with its own people, tokens, limits, quirks and call log. */
export function createAccount<Crm extends CrmTypes>(setup: AccountSetup<Crm>): SandboxAccount<Crm> {
  const { imitation, identity, now } = setup;
  const account: SandboxAccount<Crm> = combine(
    { ...identity, ...createCallLog({ now }), state: imitation.openState({ now }) },
    openSettings(setup),
    openTokens(setup, () => account),
    openPeople(setup),
  );
  account.issueToken('static');
  account.approve();
  account.issueToken('access');
  return account;
}

function openPeople<Crm extends CrmTypes>({
  identity,
  seed,
  now,
}: AccountSetup<Crm>): AccountPeople {
  const people = createPeopleTable({ seed, now });
  const indexOf = (recordId: string): number => identity.indexOf(recordId) ?? 0;
  return {
    people,
    addPerson: (person) => identity.recordId(people.add(person)),
    updatePerson: (recordId, person) => people.change(indexOf(recordId), person),
    removePerson: (recordId) => people.change(indexOf(recordId), { isDeleted: true }),
    mergePerson: (recordId, survivorId) =>
      people.change(indexOf(recordId), { isDeleted: true, mergedInto: indexOf(survivorId) }),
  };
}

/** Merges objects by their property descriptors, so that getters stay live. */
function combine<A, B, C, D>(...parts: readonly [A, B, C, D]): A & B & C & D {
  const combined = {};
  for (const part of parts)
    Object.defineProperties(combined, Object.getOwnPropertyDescriptors(part));
  return combined as A & B & C & D;
}

export interface SandboxAccount<Crm extends CrmTypes>
  extends AccountIdentity,
    AccountSettings<Crm>,
    AccountTokens,
    AccountPeople,
    CallLog {
  readonly state: Crm['state'];
}

interface AccountPeople {
  readonly people: PeopleTable;
  /** The new person's record id. */
  addPerson(person: Partial<Person>): string;
  updatePerson(recordId: string, person: Partial<Person>): boolean;
  /** Soft delete: the record goes into the recycle bin. */
  removePerson(recordId: string): boolean;
  /** The first is deleted, and its id resolves to the second. */
  mergePerson(recordId: string, survivorId: string): boolean;
}

export interface AccountOptions<Crm extends CrmTypes> {
  readonly people?: readonly Partial<Person>[] | undefined;
  readonly quirks?: Partial<Crm['quirks']> | undefined;
  /** Null: no limits. Absent: the limits of the sandbox. */
  readonly limits?: Partial<Crm['limits']> | null | undefined;
  readonly accessTokenTtlMs?: number | undefined;
}

export interface AccountSetup<Crm extends CrmTypes> {
  readonly imitation: Imitation<Crm>;
  readonly identity: AccountIdentity;
  readonly seed: Seed;
  readonly limits: Partial<Crm['limits']> | null;
  readonly options: AccountOptions<Crm>;
  readonly tokens: TokenBook<SandboxAccount<Crm>>;
  readonly now: () => number;
}
