import { type Person, toPerson } from './people.ts';
import { inventPerson } from './people-invented.ts';
import { SPECIAL_PEOPLE } from './people-special.ts';
import { addresses, type Seed } from './people-table.ts';

export const DEMO_PEOPLE = 25_000;

/**
 * The people of the demo accounts: deterministic, and the same in every CRM. Each is created on first access:
 * creating all takes 0.1 s and 20 MB, and a lookup by email needs a few.
 */
export const DEMO_SEED: Seed = {
  all: () => Array.from({ length: DEMO_PEOPLE }, (_, position) => made(position + 1)),
  get: (index) => (index >= 1 && index <= DEMO_PEOPLE ? made(index) : undefined),
  byEmail: (email) => candidates(email).filter((index) => addresses(made(index)).includes(email)),
};

/** The demo's person with that index (from 1), computed, so that nothing has to be stored. */
export function personAt(index: number): Person {
  const special = SPECIAL_PEOPLE[index - 1];
  return special ? toPerson(special, index) : inventPerson(index);
}

/**
 * The handmade people can have any email. A generated email contains its person's index, or that of a person up to
 * four before.
 */
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
