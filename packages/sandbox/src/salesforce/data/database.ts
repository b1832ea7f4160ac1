import type { Person } from '../../people.ts';
import type { PeopleTable } from '../../people-table.ts';
import { RECORD_KINDS, type RecordsTable } from '../../records.ts';
import type { Database, ObjectDefinition, Row, Table } from '../soql/table.ts';
import type { SalesforceQuirks } from '../types.ts';
import { makeId, numberOf } from '../values/record-id.ts';
import { customFieldName, toContactRow } from './contact-row.ts';
import { describeCustom, toTyped } from './custom-fields.ts';
import { defineContact, PREFIXES } from './objects.ts';
import { lowerBound, userTable } from './parents.ts';
import { recordTable } from './record-table.ts';

/** An account's people and records as the tables of an org, as a query sees them at that time. */
export function openDatabase(
  { people, records }: Contents,
  quirks: SchemaQuirks,
  now = 0,
): Database {
  const summary = summarize(people.all());
  const contact = quirks.stateAndCountryPicklists ? summary.withCodes : summary.plain;
  const described = describeCustom(contact, quirks.customFields);
  const definition = encrypt(hide(described, quirks.hiddenFields), quirks.encryptedFields);
  const tables = new Map<string, Table>([
    ['contact', contactTable(people, definition, quirks, now)],
    ['user', summary.users],
    ...RECORD_KINDS.map((kind) => {
      const table = recordTable(records, kind);
      return [table.definition.name.toLowerCase(), table] as const;
    }),
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
  { userLocale, customFields, commitLagMs: lagMs }: SchemaQuirks,
  now: number,
): Table {
  // A row found twice is returned once.
  const rows = new Map<Person, Row>();
  const toRow = (person: Person): Row => {
    const row = rows.get(person) ?? toTyped(toContactRow(person), customFields);
    rows.set(person, row);
    return row;
  };
  const stale = people.staleVersions({ now, lagMs, varies: true });
  const committed = (index: number) => (stale.has(index) ? stale.get(index) : people.get(index));
  const list =
    stale.size === 0 ? people.all() : people.all().flatMap(({ index }) => committed(index) ?? []);
  const rowsOf = (indexes: readonly number[]) =>
    [...new Set([...indexes, ...stale.keys()])]
      .map(committed)
      .filter((person) => person !== undefined);
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
      const person = committed(numberOf(id15, PREFIXES.Contact) ?? 0);
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
  let users = LEAST_USERS;
  for (const person of people) {
    for (const name of Object.keys(person.custom)) custom.add(customFieldName(name));
    users = Math.max(users, person.ownerIndex ?? 0);
  }
  const names = [...custom].sort();
  const summary: Summary = {
    plain: defineContact(names, false),
    withCodes: defineContact(names, true),
    users: userTable(users),
  };
  summaries.set(people, summary);
  return summary;
}

// The list of people is a new object after every change.
const summaries = new WeakMap<readonly Person[], Summary>();
const LEAST_USERS = 20;

interface Contents {
  readonly people: PeopleTable;
  readonly records: RecordsTable;
}

/** The org's schema that this user can see. */
type SchemaQuirks = Pick<
  SalesforceQuirks,
  | 'stateAndCountryPicklists'
  | 'hiddenFields'
  | 'hiddenObjects'
  | 'encryptedFields'
  | 'customFields'
  | 'userLocale'
  | 'commitLagMs'
>;

interface Summary {
  readonly plain: ObjectDefinition;
  readonly withCodes: ObjectDefinition;
  readonly users: Table;
}
