import { type Person, toPerson } from './people.ts';

/**
 * The people of one account: rows that come, change and go, with an index by email. The seed's are taken over when
 * somebody changes or all are asked for: until then it is asked for single ones.
 */
export function createPeopleTable({ seed, now }: Options): PeopleTable {
  let rows: Map<number, Person> | undefined;
  let list: readonly Person[] | undefined;
  let version = {};
  const emails = new Map<string, number[]>();
  const merged = new Set<number>();
  const changes: Change[] = [];

  const filled = (): Map<number, Person> => {
    if (rows === undefined) {
      rows = new Map(seed.all().map((person) => [person.index, person]));
      for (const person of rows.values()) enter(emails, person);
    }
    return rows;
  };
  const get = (index: number) => (rows ? rows.get(index) : seed.get(index));
  const put = (index: number, next: Person): void => {
    const before = filled().get(index);
    changes.push({ at: now(), index, before });
    if (changes.length > MAX_CHANGES) changes.shift();
    if (before) leave(emails, before);
    filled().set(index, next);
    enter(emails, next);
    if (next.mergedInto !== undefined) merged.add(index);
    list = undefined;
    version = {};
  };
  return {
    get,
    all() {
      list ??= [...filled().values()];
      return list;
    },
    byEmail(email) {
      const wanted = normalEmail(email);
      return rows ? (emails.get(wanted) ?? []) : seed.byEmail(wanted);
    },
    mergedInto: (index) =>
      [...merged].flatMap((one) => get(one) ?? []).filter(({ mergedInto }) => mergedInto === index),
    version: () => version,
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

/** These people and no others. */
export function toSeed(people: readonly Person[]): Seed {
  const byIndex = new Map(people.map((person) => [person.index, person]));
  const emails = new Map<string, number[]>();
  for (const person of people) enter(emails, person);
  return {
    all: () => people,
    get: (index) => byIndex.get(index),
    byEmail: (email) => emails.get(email) ?? [],
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

/** All of a person's, in the form that they are compared in. */
export function addresses(person: Person): readonly string[] {
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
  /** Those who were merged into that one. */
  mergedInto(index: number): readonly Person[];
  /** Another object after each change. */
  version(): object;
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

/** Who is there at first. Nobody of them is merged into another. */
export interface Seed {
  all(): readonly Person[];
  /** The same object each time, and the one in `all()`. */
  get(index: number): Person | undefined;
  /** As in the table. The email arrives normalised. */
  byEmail(email: string): readonly number[];
}

interface Options {
  readonly seed: Seed;
  readonly now: () => number;
}
