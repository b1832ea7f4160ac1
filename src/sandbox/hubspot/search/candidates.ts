import type { Person } from '../../people.ts';
import { indexOfRecord } from '../contact-view.ts';
import type { HubSpotAccount } from '../types.ts';
import type { Filter, Search } from './request.ts';

/** The people that a search has to look at, each as the search index knows them. Never fewer than it will find. */
export function findCandidates(account: HubSpotAccount, search: Search, now: number): Person[] {
  const { people, quirks } = account;
  const stale = quirks.searchLagMs > 0 ? indexedVersions(account, now - quirks.searchLagMs) : NOTHING_STALE;
  const indexes = indexedLookup(account, search);
  if (indexes === undefined && stale.size === 0) return people.all().slice();
  const all = indexes ?? people.all().map((person) => person.index);
  return [...new Set([...all, ...stale.keys()])].flatMap((index) => {
    const person = stale.has(index) ? stale.get(index) : people.get(index);
    return person ?? [];
  });
}

/** Of those who changed lately: how they were before. Undefined: not there yet. */
function indexedVersions({ people }: HubSpotAccount, since: number): ReadonlyMap<number, Person | undefined> {
  const versions = new Map<number, Person | undefined>();
  for (const { index, before } of people.changesSince(since))
    if (!versions.has(index)) versions.set(index, before);
  return versions;
}

/** Look-ups by address or by id need not read everybody. Undefined: this search does. */
function indexedLookup(account: HubSpotAccount, { groups }: Search): readonly number[] | undefined {
  const lookups = groups.map((filters) =>
    filters.map((filter) => lookUp(account, filter)).find((one) => one),
  );
  return lookups.length > 0 && lookups.every((one) => one !== undefined) ? lookups.flat() : undefined;
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
