import { createLinks } from '../../src/links.ts';
import type { Person } from '../../src/people.ts';
import { createPeopleTable, toSeed } from '../../src/people-table.ts';
import { createRecords } from '../../src/records.ts';

/** The tables of an account with these people, and with that number of records of each kind. */
export function createTables(seed: readonly Person[], count = 0) {
  const people = createPeopleTable({ seed: toSeed(seed), now: () => 0 });
  const records = createRecords({ now: () => 0, countBase: () => count });
  return { people, records, links: createLinks({ people, records }) };
}
