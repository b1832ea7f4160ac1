import { COMPANY, type Company } from './company.ts';
import { all, declareFilter, modifiedSince, type SearchedKind } from './conditions.ts';

export const companyFilters = declareFilter<Company, CompanyInputs>(
  { name: 'CompanyFilter', example: '{"modifiedSince":"2026-01-31T00:00:00Z"}' },
  { modifiedSince: modifiedSince('companies'), all: all('companies') },
);

export const COMPANIES: SearchedKind<Company, GivenCompanyFilter> = {
  record: COMPANY,
  filters: companyFilters,
};

/** A filter as passed by an API: unchecked. */
export type GivenCompanyFilter = Parameters<typeof companyFilters.read>[0];

type CompanyInputs = {
  readonly modifiedSince: string;
  readonly all: boolean;
};
