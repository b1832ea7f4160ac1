import type { Links } from '../../links.ts';
import type { Person } from '../../people.ts';
import type { PeopleTable } from '../../people-table.ts';
import { RECORD_KINDS, type RecordsTable } from '../../records.ts';
import type { Database, ObjectDefinition, Row, Table } from '../soql/table.ts';
import type { SalesforceQuirks } from '../types.ts';
import { makeId, numberOf } from '../values/record-id.ts';
import { customFieldName, toContactRow } from './contact-row.ts';
import { describeCustom, toTyped } from './custom-fields.ts';
import { leadTable } from './leads.ts';
import { defineContact, PREFIXES, withCurrency } from './objects.ts';
import { lowerBound, userTable } from './parents.ts';
import { recordTable, toSalesforceId, toSalesforceIndex } from './record-table.ts';
import {
  accountContactRelations,
  opportunityContactRoles,
  opportunityStages,
} from './relation-tables.ts';

/** An account's people and records as the tables of an org, as a query sees them at that time. */
export function openDatabase(contents: Contents, quirks: SchemaQuirks, now = 0): Database {
  const { people } = contents;
  const summary = summarize(people.all());
  const found = [
    contactTable(contents, defineContacts(summary, quirks), quirks, now),
    summary.users,
    ...RECORD_KINDS.map((kind) => recordTable(kind, { ...contents, quirks })),
    leadTable(quirks.leads),
    opportunityStages(),
    opportunityContactRoles(contents),
    ...(quirks.contactsToMultipleAccounts ? [accountContactRelations(contents)] : []),
  ];
  const tables = new Map<string, Table>();
  for (const table of found) {
    const { name } = table.definition;
    const definition = encrypt(hide(table.definition, quirks.hiddenFields), quirks.encryptedFields);
    if (!quirks.hiddenObjects.includes(name))
      tables.set(
        name.toLowerCase(),
        definition === table.definition ? table : { ...table, definition },
      );
  }
  return {
    locale: quirks.userLocale,
    table: (name) => tables.get(name.toLowerCase()),
    tables: () => tables.values(),
  };
}

function defineContacts(summary: Summary, quirks: SchemaQuirks): ObjectDefinition {
  const plain = quirks.stateAndCountryPicklists ? summary.withCodes : summary.plain;
  const contact = quirks.multiCurrency ? withCurrency(plain) : plain;
  return describeCustom(contact, fieldsOfContacts(quirks));
}

/** Names with a prefix are those of other objects. */
function fieldsOfContacts({ customFields }: SchemaQuirks): SchemaQuirks['customFields'] {
  const entries = Object.entries(customFields);
  return entries.some(([name]) => name.includes('.'))
    ? Object.fromEntries(entries.filter(([name]) => !name.includes('.')))
    : customFields;
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
  // A name counts for every object, or with a prefix (`Account.Phone`) for one.
  const prefix = `${definition.name}.`;
  for (const name of hidden) fields.delete(name.replace(prefix, '').toLowerCase());
  return { ...definition, fields };
}

function contactTable(
  { people, records, links }: Contents,
  definition: ObjectDefinition,
  quirks: SchemaQuirks,
  now: number,
): Table {
  const { userLocale, commitLagMs: lagMs } = quirks;
  const customFields = fieldsOfContacts(quirks);
  // A row found twice is returned once.
  const rows = new Map<Person, Row>();
  const toRow = (person: Person): Row => {
    const known = rows.get(person);
    if (known) return known;
    const row = withAccount(records, person, toTyped(toContactRow(person), customFields));
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
    lookups: {
      AccountId(id15) {
        const found = links.find('company', toSalesforceIndex('company', id15), 'contact');
        const indexes = found.filter(({ isPrimary }) => isPrimary).map(({ index }) => index);
        return rowsOf(indexes).map(toRow);
      },
    },
    // The index supports one collation only.
    ...(userLocale === 'en' && { byEmail: (email) => rowsOf(people.byEmail(email)).map(toRow) }),
  };
}

/** After a merge, a contact refers to the account that was kept. Its account is null if that was deleted. */
function withAccount(records: RecordsTable, { companyIndex }: Person, row: Row): Row {
  if (companyIndex === null) return row;
  const index = records.survivorOf('company', companyIndex);
  if (index === companyIndex) return row;
  return { ...row, AccountId: index === undefined ? null : toSalesforceId('company', index) };
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
  readonly links: Links;
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
  | 'multiCurrency'
  | 'contactsToMultipleAccounts'
  | 'leads'
>;

interface Summary {
  readonly plain: ObjectDefinition;
  readonly withCodes: ObjectDefinition;
  readonly users: Table;
}
