import type { Person } from '../../people.ts';
import type { PeopleTable } from '../../people-table.ts';
import { indexOfRecord } from '../contact-view.ts';
import { PROPERTIES } from '../property-definitions.ts';
import { toRecord } from '../record.ts';
import type { EndpointContext, HubSpotAccount, Reply } from '../types.ts';
import { findCandidates } from './candidates.ts';
import { compareValues, hasWords, matches } from './match.ts';
import {
  type ContactFilter as Filter,
  readContactSearch,
  type ContactSearch as Search,
} from './request.ts';

/** Matches against the index, which may lag, and then returns the current records. */
export function search(context: EndpointContext): Reply {
  const { account, call } = context;
  const wanted = readContactSearch(context);
  const { people, quirks } = account;
  const found = sorted(
    account,
    wanted,
    findCandidates(account, wanted, call.now).filter((person) => isFound(account, wanted, person)),
  );
  const hits = found
    .slice(wanted.offset, wanted.offset + wanted.limit)
    .map((person) => person.index);
  const stale = quirks.searchStaleHit === null ? undefined : indexOfRecord(quirks.searchStaleHit);
  if (stale !== undefined && !hits.includes(stale)) hits.push(stale);
  const total = found.length + (stale === undefined ? 0 : 1);
  const next = wanted.offset + wanted.limit;
  return {
    status: 200,
    body: {
      total,
      results: quirks.searchTotalWithoutResults
        ? []
        : hits
            .flatMap((index) => currentPerson(people, index))
            .map((person) => toRecord(account, person, wanted.properties)),
      ...(next < total && { paging: { next: { after: String(next) } } }),
    },
  };
}

function currentPerson(people: PeopleTable, index: number): readonly Person[] {
  const person = people.get(index);
  return person === undefined || person.isDeleted ? [] : [person];
}

function isFound(account: HubSpotAccount, { groups, query }: Search, person: Person): boolean {
  if (person.isDeleted) return false;
  const passes = (filters: readonly Filter[]) =>
    filters.every((filter) => passesOne(account, filter, person));
  if (groups.length > 0 && !groups.some(passes)) return false;
  return query === '' || isAnswerTo(account, query, person);
}

function passesOne(account: HubSpotAccount, filter: Filter, person: Person): boolean {
  const { quirks } = account;
  if (matches(filter, filter.property.read(person, account), quirks.searchTokensAreWords))
    return true;
  const reachesAliases = quirks.searchEmailMatchesAliases && filter.property.name === 'email';
  if (!reachesAliases || (filter.operator !== 'EQ' && filter.operator !== 'IN')) return false;
  const wanted = filter.operator === 'IN' ? filter.values : [filter.value.trim().toLowerCase()];
  const aliases = PROPERTIES.get('hs_additional_emails')?.read(person, account)?.split(';') ?? [];
  return wanted.some((value) => aliases.includes(value));
}

/** Every word of the query must be a prefix of a word in one of the default searchable properties. */
function isAnswerTo(account: HubSpotAccount, query: string, person: Person): boolean {
  const values = QUERIED.map((name) => PROPERTIES.get(name)?.read(person, account) ?? '');
  return hasWords(values, query);
}

function sorted(account: HubSpotAccount, { sort }: Search, found: Person[]): readonly Person[] {
  const direction = sort.isDescending ? -1 : 1;
  if (sort.property.name === 'hs_object_id')
    return found.sort((left, right) => direction * (left.index - right.index));
  if (sort.property.name === 'createdate')
    return found.sort(
      (one, other) => direction * (one.createdAt - other.createdAt) || one.index - other.index,
    );
  const keys = new Map(found.map((person) => [person, sort.property.read(person, account)]));
  return found.sort((one, other) => {
    const order = compareValues(sort.property, keys.get(one) ?? null, keys.get(other) ?? null);
    return direction * order || one.index - other.index;
  });
}

const QUERIED = [
  'firstname',
  'lastname',
  'email',
  'phone',
  'mobilephone',
  'fax',
  'company',
  'hs_additional_emails',
  'hs_searchable_calculated_phone_number',
  'hs_searchable_calculated_mobile_number',
];
