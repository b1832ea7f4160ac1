import type { Company } from '../domain/records/company.ts';
import { COMPANIES, type CompanyFilterInput } from '../domain/records/company-filter.ts';
import type { FoundPage, RecordSearch } from '../domain/records/record-search.ts';
import { type SearchDeps, searchRecords } from './search-records.ts';

/** Searches a customer's companies in one CRM and returns a page, ordered by id. */
export function searchCompanies(
  deps: SearchDeps,
  search: RecordSearch<CompanyFilterInput>,
): Promise<FoundPage<Company>> {
  return deps.withSpan('searchCompanies', () => searchRecords(deps, COMPANIES, search));
}
