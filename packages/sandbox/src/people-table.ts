import { type ChangeLog, createChangeLog, type Lag } from './change-log.ts';
import { type LinkChange, noteLinks } from './link-changes.ts';
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
  const changes: ChangeLog<Person> = createChangeLog();
  const links = new Map<string, LinkChange>();

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
    const at = now();
    changes.add({ at, index, before });
    if (before) {
      leave(emails, before);
      noteLinks(links, { before, next, at });
    }
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
      const [loser, survivor] = [get(index), get(into)];
      if (index === into || loser === undefined || survivor === undefined) return false;
      this.change(into, { ...toMergedLinks(survivor, loser), ...some });
      merged.set(into, [...(merged.get(into) ?? []), index]);
      return this.change(index, { ...some, isDeleted: true, mergedInto: into });
    },
    staleVersions: (lag) => changes.stale(lag),
    linkChanges: () => links,
  };
}

/** The survivor of a merge has the companies and deals of both. */
function toMergedLinks(survivor: Person, loser: Person): Partial<Person> {
  const companies = [loser.companyIndex ?? [], ...loser.otherCompanyIndexes].flat();
  const primary = survivor.companyIndex ?? loser.companyIndex;
  const others = [...survivor.otherCompanyIndexes, ...companies];
  return {
    companyIndex: primary,
    otherCompanyIndexes: [...new Set(others)].filter((one) => one !== primary),
    dealIndexes: [...new Set([...survivor.dealIndexes, ...loser.dealIndexes])],
  };
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
  /** The links to companies and deals that were made or removed since the start. */
  linkChanges(): ReadonlyMap<string, LinkChange>;
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
