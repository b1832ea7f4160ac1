import type { Person } from '../people.ts';
import { normalEmail, type PeopleTable } from '../people-table.ts';
import { inventValues } from '../records-invented.ts';

/** Emails are lower-cased and unique: of people who share one, only the first has it. */
export function emailOf(people: PeopleTable, person: Person): string | null {
  if (person.email === null || person.email === '') return person.email;
  const cached = emailsOf(people);
  let email = cached.get(person);
  if (email === undefined) {
    email = ownsEmail(people, person, person.email) ? normalEmail(person.email) : null;
    cached.set(person, email);
  }
  return email;
}

/** The secondary emails in one string, separated by semicolons. */
export function additionalEmailsOf(people: PeopleTable, person: Person): string | null {
  const owned = person.secondaryEmails
    .filter((email) => ownsEmail(people, person, email))
    .map(normalEmail);
  return owned.length > 0 ? owned.join(';') : null;
}

/** The ids of the contacts that were merged into this one, in one string. */
export function mergedIdsOf(people: PeopleTable, person: Person): string | null {
  const merged = people.mergedInto(person.index);
  if (merged.length === 0) return null;
  const older = merged.flatMap((one) => mergedIdsOf(people, one) ?? []);
  return [...merged.map(({ index }) => recordId(index)), ...older].join(';');
}

/** The same with the time of each merge: `501:1700000000000`. */
export function mergedVidsOf(people: PeopleTable, person: Person): string | null {
  const ids = mergedIdsOf(people, person)?.split(';') ?? [];
  const merges = ids.map((id) => `${id}:${people.get(indexOfRecord(id) ?? 0)?.updatedAt}`);
  return merges.length > 0 ? merges.join(';') : null;
}

/** The one contact with this email, as primary or secondary. */
export function ownerOfEmail(
  people: PeopleTable,
  email: string,
  isDeleted: boolean,
): Person | undefined {
  for (const index of people.byEmail(email)) {
    const person = people.get(index);
    if (person?.isDeleted === isDeleted) return person;
  }
  return undefined;
}

export function recordId(index: number): string {
  return String(FIRST_RECORD + index);
}

export function indexOfRecord(id: string): number | undefined {
  return /^\d{1,15}$/.test(id) ? Number(id) - FIRST_RECORD : undefined;
}

export function companyId(index: number): number {
  return FIRST_COMPANY + index;
}

/** The name that a contact's own property has: it does not follow the company's. */
export function companyName(index: number): string | null {
  return inventValues('company', index)['name'] ?? null;
}

export function ticketId(index: number): number {
  return 7_200_000_000 + index;
}

export function ownerId(index: number): string {
  return String(FIRST_OWNER + index);
}

export function ownerIndexOf(id: string): number {
  return Number(id) - FIRST_OWNER;
}

/** A search reads every person's email: cached until the table changes. */
function emailsOf(people: PeopleTable): Map<Person, string | null> {
  const version = people.version();
  const cached = emails.get(version) ?? new Map<Person, string | null>();
  emails.set(version, cached);
  return cached;
}

const emails = new WeakMap<object, Map<Person, string | null>>();

function ownsEmail(people: PeopleTable, person: Person, email: string): boolean {
  const owner = ownerOfEmail(people, email, false);
  return person.isDeleted || owner === undefined || owner.index === person.index;
}

const FIRST_RECORD = 500;
const FIRST_OWNER = 41_629_700;
const FIRST_COMPANY = 5_790_939_000;
