import type { Deal } from '../domain/records/deal.ts';
import { DEALS, type DealFilterInput } from '../domain/records/deal-filter.ts';
import type { FoundPage, RecordSearch } from '../domain/records/record-search.ts';
import { type SearchDeps, searchRecords } from './search-records.ts';

/** Searches a customer's deals in one CRM and returns a page, ordered by id. */
export function searchDeals(
  deps: SearchDeps,
  search: RecordSearch<DealFilterInput>,
): Promise<FoundPage<Deal>> {
  return deps.withSpan('searchDeals', () => searchRecords(deps, DEALS, search));
}
