import { isInactiveOwner } from '../../people.ts';
import type { Row, Table } from '../soql/table.ts';
import { wireDatetime } from '../values/datetime.ts';
import { makeId, numberOf } from '../values/record-id.ts';
import { ADMINISTRATOR } from './contact-row.ts';
import { PREFIXES, USER } from './objects.ts';

/** The users from 0 (the administrator) to this number, and the one by whom the org's own processes run. */
export function userTable(last: number): Table {
  const size = last - ADMINISTRATOR + 2;
  const toRow = (number: number) => (number > last ? toProcessRow(number) : toUserRow(number));
  const idOf = (place: number) => makeId(PREFIXES.User, ADMINISTRATOR + place).slice(0, 15);
  return {
    definition: USER,
    size: () => size,
    rowAt: (place) => toRow(ADMINISTRATOR + place),
    lowerBound: (id15) => lowerBound(size, (place) => idOf(place) < id15),
    find(id15) {
      const number = numberOf(id15, PREFIXES.User);
      const isKnown = number !== undefined && number >= ADMINISTRATOR && number <= last + 1;
      return isKnown ? toRow(number) : undefined;
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

function toUserRow(number: number): Row {
  const lastName = number === ADMINISTRATOR ? 'Administrator' : `Seller ${number}`;
  const email = `user-${number}@sandbox.example`;
  return {
    Id: makeId(PREFIXES.User, number),
    Username: email,
    Email: email,
    IsActive: !isInactiveOwner(number),
    UserType: 'Standard',
    FirstName: 'Sam',
    LastName: lastName,
    Name: `Sam ${lastName}`,
    ...audit(number),
  };
}

function toProcessRow(number: number): Row {
  const name = { FirstName: 'Automated', LastName: 'Process', Name: 'Automated Process' };
  return { ...toUserRow(number), ...name, IsActive: true, UserType: 'AutomatedProcess' };
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
