import type { Person } from './people.ts';
import { toPerson } from './people.ts';
import { inventPerson } from './people-invented.ts';
import { SPECIAL_PEOPLE } from './people-special.ts';

export const DEMO_PEOPLE = 25_000;

/** The people of the demo accounts: always the same, the same in every CRM, made when first asked for. */
export function demoPeople(): readonly Person[] {
  demo ??= Array.from({ length: DEMO_PEOPLE }, (_, position) => personAt(position + 1));
  return demo;
}

/** The demo's person of that index (from 1): a matter of arithmetic, so that nothing has to be stored. */
export function personAt(index: number): Person {
  const special = SPECIAL_PEOPLE[index - 1];
  return special ? toPerson(special, index) : inventPerson(index);
}

let demo: readonly Person[] | undefined;
