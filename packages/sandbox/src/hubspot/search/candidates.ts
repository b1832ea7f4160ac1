import type { Person } from '../../people.ts';
import { indexOfRecord } from '../contact-view.ts';
import type { PropertyDefinition } from '../property-definitions.ts';
import type { HubSpotAccount } from '../types.ts';
import type {
  ContactFilter as Filter,
  ContactSearch as Search,
  Search as SearchOf,
} from './request.ts';

/** The people that can match a search, in the state of the search index. A superset of the results. */
export function findCandidates(account: HubSpotAccount, search: Search, now: number): Person[] {
  const { people, quirks } = account;
  const { searchLagMs: lagMs, searchLagVaries: varies } = quirks;
  const stale = people.staleVersions({ now, lagMs, varies });
  const indexes = indexedLookup(account, search);
  if (indexes === undefined) {
    const range = people.all().slice(...toRange(people.all(), search, indexOfRecord));
    if (stale.size === 0) return range;
    return range.flatMap((person) =>
      stale.has(person.index) ? (stale.get(person.index) ?? []) : person,
    );
  }
  return [...new Set([...indexes, ...stale.keys()])].flatMap((index) => {
    const person = stale.has(index) ? stale.get(index) : people.get(index);
    return person ?? [];
  });
}

/** The part of the list, which is ordered by id, that can have the ids of the search: a page of a long list reads it once. */
export function toRange(
  all: readonly Indexed[],
  { groups }: Pick<SearchOf<PropertyDefinition>, 'groups'>,
  toIndex: (id: string) => number | undefined,
): [from: number, to: number] {
  const bounds = groups.map((filters) => {
    let [from, to] = [0, all.length];
    for (const { property, operator, value } of filters) {
      const index = property.name === 'hs_object_id' ? toIndex(value) : undefined;
      if (index === undefined) continue;
      if (operator.startsWith('GT')) from = Math.max(from, placeOf(all, index));
      if (operator.startsWith('LT')) to = Math.min(to, placeOf(all, index + 1));
    }
    return [from, to] as const;
  });
  if (bounds.length === 0) return [0, all.length];
  return [Math.min(...bounds.map(([from]) => from)), Math.max(...bounds.map(([, to]) => to))];
}

/** The place of the first record whose index is not smaller. */
function placeOf(all: readonly Indexed[], index: number): number {
  let [from, to] = [0, all.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((all[middle]?.index ?? 0) < index) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Searches by email or id can use an index. Undefined: this search needs a full scan. */
function indexedLookup(account: HubSpotAccount, { groups }: Search): readonly number[] | undefined {
  const lookups = groups.map((filters) =>
    filters.map((filter) => lookUp(account, filter)).find((one) => one),
  );
  return lookups.length > 0 && lookups.every((one) => one !== undefined)
    ? lookups.flat()
    : undefined;
}

function lookUp({ people }: HubSpotAccount, filter: Filter): readonly number[] | undefined {
  const values = filter.operator === 'EQ' ? [filter.value] : filter.values;
  if (values.length === 0) return undefined;
  if (filter.operator !== 'EQ' && filter.operator !== 'IN') return undefined;
  const { name } = filter.property;
  if (name === 'email' || name === 'hs_additional_emails')
    return values.flatMap((email) => people.byEmail(email));
  if (name === 'hs_object_id') return values.flatMap((id) => indexOfRecord(id) ?? []);
  return undefined;
}

interface Indexed {
  readonly index: number;
}
