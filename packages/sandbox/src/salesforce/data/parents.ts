import type { Row, Table } from '../soql/table.ts';
import { wireDatetime } from '../values/datetime.ts';
import { makeId, numberOf } from '../values/record-id.ts';
import { ADMINISTRATOR } from './contact-row.ts';
import { PREFIXES, USER } from './objects.ts';

/** The users from 0 (the administrator) to this number. */
export function userTable(last: number): Table {
  const size = last - ADMINISTRATOR + 1;
  const idOf = (place: number) => makeId(PREFIXES.User, ADMINISTRATOR + place).slice(0, 15);
  return {
    definition: USER,
    size: () => size,
    rowAt: (place) => toUserRow(ADMINISTRATOR + place),
    lowerBound: (id15) => lowerBound(size, (place) => idOf(place) < id15),
    find(id15) {
      const number = numberOf(id15, PREFIXES.User);
      const isKnown = number !== undefined && number >= ADMINISTRATOR && number <= last;
      return isKnown ? toUserRow(number) : undefined;
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

/** The values of a company that nobody has edited. */
export function toAccountValues(number: number): Row {
  return {
    Name: `${NAMES[number % NAMES.length]} ${number}`,
    Industry: 'Technology',
    Type: number % 3 === 0 ? null : 'Customer',
    Phone: null,
    Website: `https://company-${number}.example`,
    OwnerId: makeId(PREFIXES.User, number % 20),
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
