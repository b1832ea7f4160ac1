import type { Person } from './people.ts';
import type { PeopleTable } from './people-table.ts';
import { createRandom } from './random.ts';

/**
 * Changes people as the users of a busy CRM do: edits, additions, deletions and merges, in an order that depends on the
 * seed and the people only.
 */
export function changePeople(
  people: PeopleTable,
  { seed, count = 1, isTied = false }: ChangeStream,
  now: number,
): readonly PersonChange[] {
  const random = createRandom(seed);
  const alive = people.all().flatMap(({ index, isDeleted }) => (isDeleted ? [] : [index]));
  // A bulk job gives all its records the same time.
  const stamp: Partial<Person> = isTied ? { updatedAt: now } : {};
  const take = (): number | undefined => {
    const place = Math.floor(random() * alive.length);
    const index = alive[place];
    const last = alive.pop();
    if (last !== undefined && last !== index) alive[place] = last;
    return index;
  };
  const edit = (): PersonChange | undefined => {
    const index = alive[Math.floor(random() * alive.length)];
    if (index === undefined) return undefined;
    people.change(index, { ...inventEdit(random), ...stamp });
    return { kind: 'edited', index };
  };
  const add = (): PersonChange => {
    const number = Math.floor(random() * 2 ** 32);
    const person = { firstName: pick(FIRST_NAMES, random), lastName: pick(LAST_NAMES, random) };
    const email = `${person.firstName}.${number}@added.example`.toLowerCase();
    const index = people.add({ ...person, email, ...stamp });
    alive.push(index);
    return { kind: 'added', index };
  };
  const remove = (): PersonChange | undefined => {
    if (alive.length < MIN_PEOPLE) return undefined;
    const index = take();
    if (index === undefined) return undefined;
    people.change(index, { isDeleted: true, ...stamp });
    return { kind: 'deleted', index };
  };
  const merge = (): PersonChange | undefined => {
    if (alive.length < MIN_PEOPLE) return undefined;
    const [index, into] = [take(), take()];
    if (index === undefined || into === undefined) return undefined;
    alive.push(into);
    people.merge(index, into, stamp);
    return { kind: 'merged', index, into };
  };
  const changes: PersonChange[] = [];
  while (changes.length < count) {
    const roll = random();
    const change = roll < 0.6 ? edit() : roll < 0.76 ? add() : roll < 0.9 ? remove() : merge();
    changes.push(change ?? add());
  }
  return changes;
}

/** A bulk job of the CRM: the first people, deleted ones excepted, get the same values and the same modification time. */
export function editMany(
  people: PeopleTable,
  { count = Number.POSITIVE_INFINITY, person = {}, at }: BulkEdit,
  now: number,
): number {
  const indexes = people.all().flatMap(({ index, isDeleted }) => (isDeleted ? [] : [index]));
  const edited = indexes.slice(0, count);
  for (const index of edited) people.change(index, { ...person, updatedAt: at ?? now });
  return edited.length;
}

function inventEdit(random: () => number): Partial<Person> {
  const digits = String(Math.floor(random() * 10 ** 7)).padStart(7, '0');
  return pick<Partial<Person>>(
    [
      { firstName: pick(FIRST_NAMES, random) },
      { lastName: pick(LAST_NAMES, random) },
      { phone: `+1 415 ${digits}` },
      { jobTitle: `Engineer ${digits}` },
      { custom: { favorite_color: pick(['green', 'red', 'blue', null], random) } },
    ],
    random,
  );
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

/** Below this many people none is deleted or merged. */
const MIN_PEOPLE = 3;
const FIRST_NAMES = ['Grace', 'Margaret', 'Radia', 'Tim', 'Anita', 'Mary Jo', 'Joëlle', 'Kurt'];
const LAST_NAMES = ['Hopper', 'Hamilton', 'Perlman', 'Lee', "O'Borg", 'Jo-Ann', 'Gödel'];

export interface ChangeStream {
  readonly seed: number;
  /** Default: one. */
  readonly count?: number | undefined;
  /** All of them get the same modification time. */
  readonly isTied?: boolean | undefined;
}

export interface PersonChange {
  readonly kind: 'edited' | 'added' | 'deleted' | 'merged';
  readonly index: number;
  readonly into?: number;
}

export interface BulkEdit {
  /** Default: all. */
  readonly count?: number | undefined;
  readonly person?: Partial<Person> | undefined;
  /** The modification time; default: now. */
  readonly at?: number | undefined;
}
