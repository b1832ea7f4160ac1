import { type Person, toPerson } from './people.ts';

/** The people of one account: rows that come, change and go, with an index by email. Filled when first used. */
export function createPeopleTable({ seed, now }: Options): PeopleTable {
  let rows: Map<number, Person> | undefined;
  let list: readonly Person[] | undefined;
  const emails = new Map<string, number[]>();
  const changes: Change[] = [];

  const filled = (): Map<number, Person> => {
    if (rows === undefined) {
      rows = new Map(seed().map((person) => [person.index, person]));
      for (const person of rows.values()) enter(emails, person);
    }
    return rows;
  };
  const put = (index: number, next: Person): void => {
    const before = filled().get(index);
    changes.push({ at: now(), index, before });
    if (changes.length > MAX_CHANGES) changes.shift();
    if (before) leave(emails, before);
    filled().set(index, next);
    enter(emails, next);
    list = undefined;
  };
  return {
    get: (index) => filled().get(index),
    all() {
      list ??= [...filled().values()];
      return list;
    },
    byEmail: (email) => (filled().size > 0 ? (emails.get(normalEmail(email)) ?? []) : []),
    add(some) {
      const index = Math.max(0, this.all().at(-1)?.index ?? 0) + 1;
      put(index, toPerson({ createdAt: now(), updatedAt: now(), ...some }, index));
      return index;
    },
    change(index, some) {
      const before = filled().get(index);
      if (before === undefined) return false;
      put(index, { ...before, updatedAt: now(), ...some, index });
      return true;
    },
    changesSince: (at) => changes.filter((change) => change.at > at),
  };
}

/** Emails compare trimmed and without regard to case. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

function enter(emails: Map<string, number[]>, person: Person): void {
  for (const key of addresses(person)) {
    const known = emails.get(key);
    if (known === undefined) emails.set(key, [person.index]);
    else if (!known.includes(person.index)) known.splice(place(known, person.index), 0, person.index);
  }
}

function leave(emails: Map<string, number[]>, person: Person): void {
  for (const key of addresses(person)) {
    const left = (emails.get(key) ?? []).filter((index) => index !== person.index);
    if (left.length > 0) emails.set(key, left);
    else emails.delete(key);
  }
}

function addresses(person: Person): readonly string[] {
  const all = person.email === null ? person.secondaryEmails : [person.email, ...person.secondaryEmails];
  return all.map(normalEmail).filter((email) => email !== '');
}

function place(sorted: readonly number[], index: number): number {
  const position = sorted.findIndex((one) => one > index);
  return position < 0 ? sorted.length : position;
}

const MAX_CHANGES = 10_000;

export interface PeopleTable {
  get(index: number): Person | undefined;
  /** In the order of their ids, deleted ones included. */
  all(): readonly Person[];
  /** The indexes of those who have it as their first or a further address, deleted ones included, ascending. */
  byEmail(email: string): readonly number[];
  /** The index of the new row. */
  add(person: Partial<Person>): number;
  change(index: number, person: Partial<Person>): boolean;
  /** What a slow search index has not seen yet: each with the row as it was (undefined: there was none). */
  changesSince(at: number): readonly Change[];
}

export interface Change {
  readonly at: number;
  readonly index: number;
  readonly before: Person | undefined;
}

interface Options {
  readonly seed: () => readonly Person[];
  readonly now: () => number;
}
