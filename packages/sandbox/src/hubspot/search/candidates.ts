import type { Person } from '../../people.ts';
import { indexOfRecord } from '../contact-view.ts';
import type { HubSpotAccount } from '../types.ts';
import type { Filter, Search } from './request.ts';

/** The people that can match a search, in the state of the search index. A superset of the results. */
export function findCandidates(account: HubSpotAccount, search: Search, now: number): Person[] {
  const { people, quirks } = account;
  const stale =
    quirks.searchLagMs > 0 ? indexedVersions(account, now - quirks.searchLagMs) : NOTHING_STALE;
  const indexes = indexedLookup(account, search);
  if (indexes === undefined && stale.size === 0) return people.all().slice();
  const all = indexes ?? people.all().map((person) => person.index);
  return [...new Set([...all, ...stale.keys()])].flatMap((index) => {
    const person = stale.has(index) ? stale.get(index) : people.get(index);
    return person ?? [];
  });
}

/** The previous versions of recently changed people, as the lagging index has them. Undefined: not indexed yet. */
function indexedVersions(
  { people }: HubSpotAccount,
  since: number,
): ReadonlyMap<number, Person | undefined> {
  const versions = new Map<number, Person | undefined>();
  for (const { index, before } of people.changesSince(since))
    if (!versions.has(index)) versions.set(index, before);
  return versions;
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

const NOTHING_STALE: ReadonlyMap<number, Person | undefined> = new Map();
