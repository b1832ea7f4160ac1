import { COMPANY } from './company.ts';
import { all, declareFilter, modifiedSince } from './conditions.ts';

export const COMPANIES = declareFilter(
  COMPANY,
  { name: 'CompanyFilter', example: '{"modifiedSince":"2026-01-31T00:00:00Z"}' },
  { modifiedSince: modifiedSince('companies'), all: all('companies') },
);

export const companyFilters = COMPANIES.filters;

/** A filter as passed by an API: unchecked. */
export type GivenCompanyFilter = Parameters<typeof companyFilters.read>[0];
