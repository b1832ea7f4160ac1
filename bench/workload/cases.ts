import type { FieldSet } from './operations.ts';
import { emailsOf } from './people.ts';

/** The cases: this many contacts, by their emails, in one request. */
export const CASES: readonly Case[] = [
  { name: '1', title: '1 contact', contacts: 1, fields: 'all' },
  { name: '100', title: '100 contacts', contacts: 100, fields: 'all' },
  { name: '1000', title: '1,000 contacts', contacts: 1_000, fields: 'all' },
  { name: '100-three', title: '100 contacts, three fields', contacts: 100, fields: 'three' },
];

/** What `links` measures: only Crossbook and an endpoint written for it follow links. */
export const WITH_COMPANIES: Case = {
  name: '100-companies',
  title: '100 contacts with their companies',
  contacts: 100,
  fields: 'companies',
};

/** Different people in rotation, so that no contender can reuse its last response. */
export function emailSetsOf({ contacts }: Case): readonly (readonly string[])[] {
  const sets = Math.min(PEOPLE / contacts, 200);
  return Array.from({ length: sets }, (_, index) => emailsOf(contacts, index * contacts));
}

export const PEOPLE = 1_000;

export interface Case {
  readonly name: string;
  readonly title: string;
  readonly contacts: number;
  readonly fields: FieldSet;
}
