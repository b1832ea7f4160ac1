import { type AccountSettings, openSettings } from './account-settings.ts';
import { type AccountTokens, openTokens } from './account-tokens.ts';
import { type CallLog, createCallLog } from './call-log.ts';
import { createLinks, type LinkEnd, type LinkedKind, type Links } from './links.ts';
import type { Person } from './people.ts';
import {
  type BulkEdit,
  type ChangeStream,
  changePeople,
  editMany,
  type PersonChange,
} from './people-changes.ts';
import { createPeopleTable, type PeopleTable, type Seed } from './people-table.ts';
import {
  createRecords,
  type RecordKind,
  type RecordStream,
  type RecordsTable,
  type RecordValues,
} from './records.ts';
import type { AccountIdentity, CrmTypes, Simulation } from './simulation.ts';
import type { TokenBook } from './tokens.ts';

/** One portal or org with its own people, tokens, limits, quirks and call log. */
export function createAccount<Crm extends CrmTypes>(setup: AccountSetup<Crm>): SandboxAccount<Crm> {
  const { simulation, identity, now } = setup;
  const people = openPeople(setup);
  const account: SandboxAccount<Crm> = combine(
    { ...identity, ...createCallLog({ now }), state: simulation.openState({ now }) },
    openSettings(setup),
    openTokens(setup, () => account),
    { ...people, ...openRecords(setup, people) },
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
    mergePerson: (recordId, survivorId) => people.merge(indexOf(recordId), indexOf(survivorId)),
    changePeople: (stream) =>
      changePeople(people, stream, now()).map(({ kind, index, into }) => ({
        kind,
        id: identity.recordId(index),
        ...(into !== undefined && { into: identity.recordId(into) }),
      })),
    editPeople: (edit) => editMany(people, edit, now()),
  };
}

function openRecords<Crm extends CrmTypes>(
  { simulation, identity, now }: AccountSetup<Crm>,
  { people }: AccountPeople,
): AccountRecords {
  let counted: readonly Person[] | undefined;
  let [companies, deals] = [0, 0];
  const records = createRecords({
    now,
    countBase(kind) {
      if (kind === 'subscription' || kind === 'machine') return OWN_RECORDS;
      if (counted !== people.all()) {
        counted = people.all();
        for (const { companyIndex, otherCompanyIndexes, dealIndexes } of counted) {
          companies = Math.max(companies, companyIndex ?? 0, ...otherCompanyIndexes);
          deals = Math.max(deals, ...dealIndexes);
        }
      }
      return kind === 'deal' ? deals : Math.max(companies, simulation.leastCompanies);
    },
  });
  const indexOf = (kind: RecordKind, id: string) => simulation.toRecordIndex(kind, id);
  const links = createLinks({ people, records });
  const toEnd = ({ kind, id }: LinkedRecord): LinkEnd => ({
    kind,
    index: kind === 'contact' ? (identity.indexOf(id) ?? 0) : indexOf(kind, id),
  });
  return {
    records,
    links,
    linkRecords: (one, other, { isPrimary = false } = {}) =>
      links.link(toEnd(one), toEnd(other), isPrimary),
    unlinkRecords: (one, other) => links.unlink(toEnd(one), toEnd(other)),
    idOfRecord: simulation.toRecordId,
    addRecord: (kind, values) => simulation.toRecordId(kind, records.add(kind, values)),
    updateRecord: (kind, id, values) => records.change(kind, indexOf(kind, id), values),
    removeRecord: (kind, id) => records.change(kind, indexOf(kind, id), {}, { isDeleted: true }),
    mergeRecord: (kind, id, into) => records.merge(kind, indexOf(kind, id), indexOf(kind, into)),
    changeRecords: (kind, stream) => records.changeAtRandom(kind, stream),
  };
}

/** The records of each of an account's own objects that exist from the start. */
const OWN_RECORDS = 12;

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
    AccountRecords,
    CallLog {
  readonly state: Crm['state'];
}

export interface RecordChange {
  readonly kind: PersonChange['kind'];
  readonly id: string;
  /** The survivor of a merge. */
  readonly into?: string;
}

interface AccountPeople {
  readonly people: PeopleTable;
  /** The new person's record id. */
  addPerson(person: Partial<Person>): string;
  updatePerson(recordId: string, person: Partial<Person>): boolean;
  /** Soft delete: the record goes into the recycle bin. */
  removePerson(recordId: string): boolean;
  /** The first is deleted, and its id resolves to the second, which is modified. */
  mergePerson(recordId: string, survivorId: string): boolean;
  /** Edits, adds, deletes and merges people at random. The same seed and people give the same changes. */
  changePeople(stream: ChangeStream): readonly RecordChange[];
  /** A bulk job: many people get the same values and the same modification time. Returns their number. */
  editPeople(edit: BulkEdit): number;
}

interface AccountRecords {
  /** Companies, deals, and the records of the account's own objects. */
  readonly records: RecordsTable;
  /** The associations of contacts, companies and deals. */
  readonly links: Links;
  /** Links two records of different kinds, in either order. False: one of them does not exist. */
  linkRecords(
    one: LinkedRecord,
    other: LinkedRecord,
    options?: { readonly isPrimary?: boolean },
  ): boolean;
  unlinkRecords(one: LinkedRecord, other: LinkedRecord): boolean;
  idOfRecord(kind: RecordKind, index: number): string;
  /** The new record's id. */
  addRecord(kind: RecordKind, values: RecordValues): string;
  updateRecord(kind: RecordKind, id: string, values: RecordValues): boolean;
  /** Soft delete: the record goes into the recycle bin. */
  removeRecord(kind: RecordKind, id: string): boolean;
  /** The first is deleted, and the second, which is modified, survives. */
  mergeRecord(kind: RecordKind, id: string, survivorId: string): boolean;
  /** Edits, adds, deletes and merges records at random. The same seed and records give the same changes. */
  changeRecords(kind: RecordKind, stream: RecordStream): void;
}

export interface LinkedRecord {
  readonly kind: LinkedKind;
  readonly id: string;
}

export interface AccountOptions<Crm extends CrmTypes> {
  readonly people?: readonly Partial<Person>[] | undefined;
  readonly quirks?: Partial<Crm['quirks']> | undefined;
  /** Null: no limits. Absent: the limits of the sandbox. */
  readonly limits?: Partial<Crm['limits']> | null | undefined;
  readonly accessTokenTtlMs?: number | undefined;
}

export interface AccountSetup<Crm extends CrmTypes> {
  readonly simulation: Simulation<Crm>;
  readonly identity: AccountIdentity;
  readonly seed: Seed;
  readonly limits: Partial<Crm['limits']> | null;
  readonly options: AccountOptions<Crm>;
  readonly tokens: TokenBook<SandboxAccount<Crm>>;
  readonly now: () => number;
}
