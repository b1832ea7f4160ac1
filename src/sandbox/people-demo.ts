import { type Person, toPerson } from './people.ts';
import { inventPerson } from './people-invented.ts';
import { SPECIAL_PEOPLE } from './people-special.ts';
import { addresses, type Seed } from './people-table.ts';

export const DEMO_PEOPLE = 25_000;

/**
 * The people of the demo accounts: always the same, the same in every CRM. Each is made when first asked for: all of them
 * take a tenth of a second and 20 MB, and a look-up by email needs a few.
 */
export const DEMO_SEED: Seed = {
  all: () => Array.from({ length: DEMO_PEOPLE }, (_, position) => made(position + 1)),
  get: (index) => (index >= 1 && index <= DEMO_PEOPLE ? made(index) : undefined),
  byEmail: (email) => candidates(email).filter((index) => addresses(made(index)).includes(email)),
};

/** The demo's person of that index (from 1): a matter of arithmetic, so that nothing has to be stored. */
export function personAt(index: number): Person {
  const special = SPECIAL_PEOPLE[index - 1];
  return special ? toPerson(special, index) : inventPerson(index);
}

/** Those made by hand may have any email. An invented one has its index in it, or that of one up to four before it. */
function candidates(email: string): readonly number[] {
  const byHand = SPECIAL_PEOPLE.map((_, position) => position + 1);
  const invented = [...email.matchAll(/\d{1,6}/g)].flatMap(([digits]) =>
    [0, 1, 2, 3, 4].map((step) => Number(digits) + step),
  );
  const inRange = invented.filter((index) => index > SPECIAL_PEOPLE.length && index <= DEMO_PEOPLE);
  return [...byHand, ...new Set(inRange)].sort((a, b) => a - b);
}

function made(index: number): Person {
  const person = people.get(index) ?? personAt(index);
  people.set(index, person);
  return person;
}

const people = new Map<number, Person>();
