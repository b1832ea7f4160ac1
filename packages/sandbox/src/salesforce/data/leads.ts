import type { Row, Table } from '../soql/table.ts';
import { wireDatetime } from '../values/datetime.ts';
import { makeId, numberOf } from '../values/record-id.ts';
import { ADMINISTRATOR } from './contact-row.ts';
import { LEAD, PREFIXES } from './objects.ts';
import { lowerBound } from './parents.ts';

/** Leads with these email addresses, none of them converted. */
export function leadTable(emails: readonly string[]): Table {
  const idOf = (place: number) => makeId(PREFIXES.Lead, place + 1);
  const rowAt = (place: number) => toRow(idOf(place), emails[place] ?? '');
  return {
    definition: LEAD,
    size: () => emails.length,
    rowAt,
    lowerBound: (id15) => lowerBound(emails.length, (place) => idOf(place).slice(0, 15) < id15),
    find(id15) {
      const place = (numberOf(id15, PREFIXES.Lead) ?? 0) - 1;
      return place >= 0 && place < emails.length ? rowAt(place) : undefined;
    },
  };
}

function toRow(id: string, email: string): Row {
  const at = wireDatetime(Date.UTC(2024, 0, 8, 9));
  const by = makeId(PREFIXES.User, ADMINISTRATOR);
  return {
    Id: id,
    IsDeleted: false,
    LastName: 'Lead',
    Company: 'Unknown',
    Email: email,
    IsConverted: false,
    OwnerId: by,
    CreatedDate: at,
    CreatedById: by,
    LastModifiedDate: at,
    LastModifiedById: by,
    SystemModstamp: at,
  };
}
