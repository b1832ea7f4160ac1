import type { Person } from '../../people.ts';
import type { PeopleTable } from '../../people-table.ts';
import type { Database, ObjectDefinition, Row, Table } from '../soql/table.ts';
import type { SalesforceQuirks } from '../types.ts';
import { makeId, numberOf } from '../values/record-id.ts';
import { customFieldName, toContactRow } from './contact-row.ts';
import { describeCustom, toTyped } from './custom-fields.ts';
import { defineContact, PREFIXES } from './objects.ts';
import { accountTable, lowerBound, userTable } from './parents.ts';

/** An account's people as the tables of an org. */
export function openDatabase(people: PeopleTable, quirks: SchemaQuirks): Database {
  const summary = summarize(people.all());
  const contact = quirks.stateAndCountryPicklists ? summary.withCodes : summary.plain;
  const described = describeCustom(contact, quirks.customFields);
  const definition = encrypt(hide(described, quirks.hiddenFields), quirks.encryptedFields);
  const tables = new Map<string, Table>([
    ['contact', contactTable(people, definition, quirks)],
    ['account', summary.accounts],
    ['user', summary.users],
  ]);
  for (const name of quirks.hiddenObjects) tables.delete(name.toLowerCase());
  return {
    locale: quirks.userLocale,
    table: (name) => tables.get(name.toLowerCase()),
    tables: () => tables.values(),
  };
}

function encrypt(
  definition: ObjectDefinition,
  encrypted: SchemaQuirks['encryptedFields'],
): ObjectDefinition {
  const entries = Object.entries(encrypted);
  if (entries.length === 0) return definition;
  const fields = new Map(definition.fields);
  for (const [name, encryption] of entries) {
    const field = fields.get(name.toLowerCase());
    if (field) fields.set(name.toLowerCase(), { ...field, encryption });
  }
  return { ...definition, fields };
}

function hide(definition: ObjectDefinition, hidden: readonly string[]): ObjectDefinition {
  if (hidden.length === 0) return definition;
  const fields = new Map(definition.fields);
  for (const name of hidden) fields.delete(name.toLowerCase());
  return { ...definition, fields };
}

function contactTable(
  people: PeopleTable,
  definition: ObjectDefinition,
  { userLocale, customFields }: SchemaQuirks,
): Table {
  // A row found twice is returned once.
  const rows = new Map<Person, Row>();
  const toRow = (person: Person): Row => {
    const row = rows.get(person) ?? toTyped(toContactRow(person), customFields);
    rows.set(person, row);
    return row;
  };
  const list = people.all();
  const rowsOf = (indexes: readonly number[]) =>
    indexes.map((index) => people.get(index)).filter((person) => person !== undefined);
  return {
    definition,
    size: () => list.length,
    rowAt(place) {
      const person = list[place];
      if (person === undefined) throw new RangeError(`There is no row ${place}`);
      return toRow(person);
    },
    lowerBound: (id15) =>
      lowerBound(
        list.length,
        (place) => makeId(PREFIXES.Contact, list[place]?.index ?? 0).slice(0, 15) < id15,
      ),
    find(id15) {
      const person = people.get(numberOf(id15, PREFIXES.Contact) ?? 0);
      return person && toRow(person);
    },
    // The index supports one collation only.
    ...(userLocale === 'en' && { byEmail: (email) => rowsOf(people.byEmail(email)).map(toRow) }),
  };
}

function summarize(people: readonly Person[]): Summary {
  const cached = summaries.get(people);
  if (cached) return cached;
  const custom = new Set<string>();
  let companies = LEAST_COMPANIES;
  let users = LEAST_USERS;
  for (const person of people) {
    for (const name of Object.keys(person.custom)) custom.add(customFieldName(name));
    companies = Math.max(companies, person.companyIndex ?? 0);
    users = Math.max(users, person.ownerIndex ?? 0);
  }
  const names = [...custom].sort();
  const summary: Summary = {
    plain: defineContact(names, false),
    withCodes: defineContact(names, true),
    accounts: accountTable(companies),
    users: userTable(users),
  };
  summaries.set(people, summary);
  return summary;
}

// The list of people is a new object after every change.
const summaries = new WeakMap<readonly Person[], Summary>();
const LEAST_COMPANIES = 20;
const LEAST_USERS = 20;

/** The org's schema that this user can see. */
type SchemaQuirks = Pick<
  SalesforceQuirks,
  | 'stateAndCountryPicklists'
  | 'hiddenFields'
  | 'hiddenObjects'
  | 'encryptedFields'
  | 'customFields'
  | 'userLocale'
>;

interface Summary {
  readonly plain: ObjectDefinition;
  readonly withCodes: ObjectDefinition;
  readonly accounts: Table;
  readonly users: Table;
}
