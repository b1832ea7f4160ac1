import type { ObjectDefinition, Row, Table } from '../soql/table.ts';
import { wireDatetime } from '../values/datetime.ts';
import { makeId, numberOf } from '../values/record-id.ts';
import { ADMINISTRATOR } from './contact-row.ts';
import { ACCOUNT, PREFIXES, USER } from './objects.ts';

/** The companies from 1 to this number, and the users from 0 (the administrator). */
export function accountTable(count: number): Table {
  return numberedTable({ definition: ACCOUNT, first: 1, last: count, toRow: toAccountRow });
}

export function userTable(count: number): Table {
  return numberedTable({ definition: USER, first: ADMINISTRATOR, last: count, toRow: toUserRow });
}

function numberedTable({ definition, first, last, toRow }: Numbered): Table {
  const idOf = (place: number): string => makeId(definition.keyPrefix, first + place).slice(0, 15);
  const size = last - first + 1;
  return {
    definition,
    size: () => size,
    rowAt: (place) => toRow(first + place),
    lowerBound: (id15) => lowerBound(size, (place) => idOf(place) < id15),
    find(id15) {
      const number = numberOf(id15, definition.keyPrefix);
      return number !== undefined && number >= first && number <= last ? toRow(number) : undefined;
    },
  };
}

/** The first position that is not below, by binary search. */
export function lowerBound(size: number, isBelow: (place: number) => boolean): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function toAccountRow(number: number): Row {
  const name = `${NAMES[number % NAMES.length]} ${number}`;
  return {
    Id: makeId(PREFIXES.Account, number),
    IsDeleted: false,
    Name: name,
    Industry: 'Technology',
    Type: number % 3 === 0 ? null : 'Customer',
    Phone: null,
    Website: `https://company-${number}.example`,
    OwnerId: makeId(PREFIXES.User, number % 20),
    ...audit(number),
  };
}

function toUserRow(number: number): Row {
  const lastName = number === ADMINISTRATOR ? 'Administrator' : `Seller ${number}`;
  const email = `user-${number}@sandbox.example`;
  return {
    Id: makeId(PREFIXES.User, number),
    Username: email,
    Email: email,
    IsActive: true,
    FirstName: 'Sam',
    LastName: lastName,
    Name: `Sam ${lastName}`,
    ...audit(number),
  };
}

function audit(number: number): Row {
  const at = wireDatetime(Date.UTC(2022, 0, 3, 8, 0, 0) + number * 60_000);
  const by = makeId(PREFIXES.User, ADMINISTRATOR);
  return {
    CreatedDate: at,
    CreatedById: by,
    LastModifiedDate: at,
    LastModifiedById: by,
    SystemModstamp: at,
  };
}

const NAMES = ['Harbor', 'Lumen', 'Atlas', 'Quarry', 'Meridian', 'Juniper', 'Foundry'];

interface Numbered {
  readonly definition: ObjectDefinition;
  readonly first: number;
  readonly last: number;
  readonly toRow: (number: number) => Row;
}
