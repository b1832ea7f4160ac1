import type { Person, PersonAddress } from '../../people.ts';
import type { CompoundAddress, Row, RowValue } from '../soql/table.ts';
import { wireDatetime, wireSeconds } from '../values/datetime.ts';
import { makeId } from '../values/record-id.ts';
import { PREFIXES } from './objects.ts';

/** A person as a Salesforce row. Salesforce has no empty strings: a cleared value is null. */
export function toContactRow(person: Person): Row {
  const cached = rows.get(person);
  if (cached) return cached;
  const row = makeRow(person);
  rows.set(person, row);
  return row;
}

/** `favorite_color` is `Favorite_Color__c`. */
export function customFieldName(name: string): string {
  return `${name.replace(/(^|_)([a-z])/g, (_, gap: string, letter: string) => gap + letter.toUpperCase())}__c`;
}

// A changed person is a new object, so cached rows are never stale.
const rows = new WeakMap<Person, Row>();

function makeRow(person: Person): Row {
  const lastName = person.lastName || '[not provided]';
  const owner = makeId(PREFIXES.User, person.ownerIndex ?? ADMINISTRATOR);
  return {
    Id: makeId(PREFIXES.Contact, person.index),
    IsDeleted: person.isDeleted,
    MasterRecordId:
      person.mergedInto === undefined ? null : makeId(PREFIXES.Contact, person.mergedInto),
    AccountId: person.companyIndex === null ? null : makeId(PREFIXES.Account, person.companyIndex),
    LastName: lastName,
    FirstName: person.firstName || null,
    Name: [person.firstName, lastName].filter(Boolean).join(' '),
    ...toAddressFields('Other', person.otherAddress),
    ...toAddressFields('Mailing', person.mailingAddress),
    Phone: person.phone || null,
    Fax: person.fax || null,
    MobilePhone: person.mobilePhone || null,
    HomePhone: person.homePhone || null,
    OtherPhone: person.otherPhone || null,
    Email: person.email?.trim() || null,
    Title: person.jobTitle || null,
    OwnerId: owner,
    CreatedDate: wireSeconds(person.createdAt),
    CreatedById: owner,
    LastModifiedDate: wireSeconds(person.updatedAt),
    LastModifiedById: owner,
    SystemModstamp: wireSeconds(person.updatedAt),
    LastActivityDate:
      person.lastActivityAt === null ? null : wireDatetime(person.lastActivityAt).slice(0, 10),
    IsEmailBounced: false,
    CurrencyIsoCode: 'USD',
    ...customValues(person),
  };
}

export function toAddressFields(
  kind: string,
  address: PersonAddress | null,
): Record<string, RowValue> {
  if (address === null) return {};
  const { city, country, postalCode, state, street } = address;
  const parts = { City: city || null, Country: country || null, PostalCode: postalCode || null };
  const all = { ...parts, State: state || null, Street: street || null };
  const named = Object.entries(all).map(([part, value]): [string, RowValue] => [
    kind + part,
    value,
  ]);
  return { ...Object.fromEntries(named), [`${kind}Address`]: toCompound(all) };
}

function toCompound(parts: Readonly<Record<string, string | null>>): CompoundAddress | null {
  if (Object.values(parts).every((part) => part === null)) return null;
  const { City = null, Country = null, PostalCode = null, State = null, Street = null } = parts;
  return {
    city: City,
    country: Country,
    geocodeAccuracy: null,
    latitude: null,
    longitude: null,
    postalCode: PostalCode,
    state: State,
    street: Street,
  };
}

function customValues({ custom }: Person): Record<string, RowValue> {
  const named = Object.entries(custom).map(([name, value]): [string, RowValue] => [
    customFieldName(name),
    value || null,
  ]);
  return Object.fromEntries(named);
}

/** The owner of records without an owner: every record has one. */
export const ADMINISTRATOR = 0;
