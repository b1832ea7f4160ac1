import { type Person, toPerson } from './people.ts';

/**
 * The people of one account: rows that can be added, changed and deleted, with an index by email. The seed is
 * copied on the first change or full read; until then single people are read from it.
 */
export function createPeopleTable({ seed, now }: Options): PeopleTable {
  let rows: Map<number, Person> | undefined;
  let list: readonly Person[] | undefined;
  let last: number | undefined;
  let version = {};
  const emails = new Map<string, number[]>();
  const merged = new Map<number, readonly number[]>();
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
    if (changes.length > 2 * MAX_CHANGES) changes.splice(0, MAX_CHANGES);
    if (before) leave(emails, before);
    filled().set(index, next);
    enter(emails, next);
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
      const key = normalEmail(email);
      return rows ? (emails.get(key) ?? []) : seed.byEmail(key);
    },
    mergedInto: (index) =>
      (merged.get(index) ?? [])
        .flatMap((one) => get(one) ?? [])
        .filter(({ mergedInto }) => mergedInto === index),
    version: () => version,
    add(some) {
      const index = (last ?? this.all().at(-1)?.index ?? 0) + 1;
      last = index;
      put(index, toPerson({ createdAt: now(), updatedAt: now(), ...some }, index));
      return index;
    },
    change(index, some) {
      const before = filled().get(index);
      if (before === undefined) return false;
      put(index, { ...before, updatedAt: now(), ...some, index });
      return true;
    },
    merge(index, into, some = {}) {
      if (index === into || get(index) === undefined || !this.change(into, some)) return false;
      merged.set(into, [...(merged.get(into) ?? []), index]);
      return this.change(index, { ...some, isDeleted: true, mergedInto: into });
    },
    staleVersions: (lag) => findStale(changes, lag),
  };
}

/** A change that is visible shows the whole row, so that the last visible change of a person decides. */
function findStale(
  changes: readonly Change[],
  { now, lagMs, varies = false }: Lag,
): ReadonlyMap<number, Person | undefined> {
  const stale = new Map<number, Person | undefined>();
  if (lagMs <= 0) return stale;
  let first = changes.length;
  while (first > 0 && (changes[first - 1]?.at ?? 0) > now - lagMs) first -= 1;
  for (const [place, { at, index, before }] of changes.slice(first).entries()) {
    const isVisible = varies && at + lagMs * shareOf(index * 31 + place + at) <= now;
    if (isVisible) stale.delete(index);
    else if (!stale.has(index)) stale.set(index, before);
  }
  return stale;
}

/** A number from 0 to 1 that looks random and depends on its seed only. */
function shareOf(seed: number): number {
  return (Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) >>> 0) / 2 ** 32;
}

/** A seed of exactly these people. */
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

/** Emails compare trimmed and case-insensitively. */
export function normalEmail(email: string): string {
  return email.trim().toLowerCase();
}

function enter(emails: Map<string, number[]>, person: Person): void {
  for (const key of addresses(person)) {
    const indexes = emails.get(key);
    if (indexes === undefined) emails.set(key, [person.index]);
    else if (!indexes.includes(person.index))
      indexes.splice(place(indexes, person.index), 0, person.index);
  }
}

function leave(emails: Map<string, number[]>, person: Person): void {
  for (const key of addresses(person)) {
    const left = (emails.get(key) ?? []).filter((index) => index !== person.index);
    if (left.length > 0) emails.set(key, left);
    else emails.delete(key);
  }
}

/** All emails of a person, normalized for comparison. */
export function addresses(person: Person): readonly string[] {
  const all =
    person.email === null ? person.secondaryEmails : [person.email, ...person.secondaryEmails];
  return all.map(normalEmail).filter((email) => email !== '');
}

function place(sorted: readonly number[], index: number): number {
  const position = sorted.findIndex((one) => one > index);
  return position < 0 ? sorted.length : position;
}

const MAX_CHANGES = 50_000;

export interface PeopleTable {
  get(index: number): Person | undefined;
  /** Ordered by id, including deleted people. */
  all(): readonly Person[];
  /** The indexes of the people with this primary or secondary email, ascending, including deleted ones. */
  byEmail(email: string): readonly number[];
  /** The people who were merged into this one. */
  mergedInto(index: number): readonly Person[];
  /** A new object after each change. */
  version(): object;
  /** Returns the index of the new row. */
  add(person: Partial<Person>): number;
  change(index: number, person: Partial<Person>): boolean;
  /** The first is deleted. The second survives, and is modified by that. */
  merge(index: number, into: number, both?: Partial<Person>): boolean;
  /** The rows that an index with this lag still has in an earlier version. Undefined: it has no such row yet. */
  staleVersions(lag: Lag): ReadonlyMap<number, Person | undefined>;
}

export interface Lag {
  readonly now: number;
  readonly lagMs: number;
  /** Each change has a lag of its own, up to `lagMs`. */
  readonly varies?: boolean;
}

interface Change {
  readonly at: number;
  readonly index: number;
  readonly before: Person | undefined;
}

/** The initial people. None of them is merged. */
export interface Seed {
  all(): readonly Person[];
  /** Returns the same object each time, also in `all()`. */
  get(index: number): Person | undefined;
  /** As in the table. The email must be normalized. */
  byEmail(email: string): readonly number[];
}

interface Options {
  readonly seed: Seed;
  readonly now: () => number;
}
