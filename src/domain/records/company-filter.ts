import { field, listOf, string } from '../shape.ts';
import { COMPANY, type Company } from './company.ts';
import {
  all,
  type Condition,
  customField,
  declareFilter,
  modifiedSince,
  type Named,
  namePrefix,
  readDomain,
  readKeys,
  unprocessable,
} from './conditions.ts';

const domain: Condition<string, Named<'domains'>, Company> = {
  input: field(
    string,
    'Domain of the company, such as `engines.example`, compared without `www.`. Several companies may have it.',
    { example: 'engines.example' },
  ),
  read: (value) => ({ by: 'domains', domains: readDomains([value]) }),
  countLookUps: () => 1,
  verifiedFields: ['domain'],
};

const MAX_DOMAINS = 100;
/** Of all domains together: they are one query of the CRM. */
const MAX_DOMAINS_LENGTH = 5_000;

const domains: Condition<readonly string[], Named<'domains'>, Company> = {
  input: field(
    listOf(string),
    `Domains, at most ${MAX_DOMAINS}: finds companies that have any of them.`,
    { most: MAX_DOMAINS },
  ),
  read: (value) => ({ by: 'domains', domains: readDomains(value) }),
  // Not validated yet: GraphQL takes a single value for a list.
  countLookUps: (value) => (Array.isArray(value) ? value.length : 1),
  verifiedFields: ['domain'],
  matches: (company, filter) => company.domain !== null && filter.domains.includes(company.domain),
};

export const COMPANIES = declareFilter(
  COMPANY,
  { name: 'CompanyFilter', example: '{"domain":"engines.example"}' },
  {
    domain,
    domains,
    namePrefix: namePrefix<Company>(
      'Beginning of a word of the name, at least 2 characters, e.g. `eng` for Analytical Engines Ltd. Spaces, hyphens and apostrophes divide words.',
      ['name'],
    ),
    modifiedSince: modifiedSince('companies'),
    customField,
    all: all('companies'),
  },
);

export const companyFilters = COMPANIES.filters;

/** A filter as passed by an API: unchecked. */
export type CompanyFilterInput = Parameters<typeof companyFilters.read>[0];

function readDomains(domains: readonly string[]): readonly string[] {
  const sorted = readKeys(domains, DOMAIN_LIST);
  if (sorted.join('').length <= MAX_DOMAINS_LENGTH) return sorted;
  throw unprocessable(
    `The filter’s domains have more than ${MAX_DOMAINS_LENGTH} characters together: search for fewer at a time.`,
  );
}

const DOMAIN_LIST = {
  noun: 'domain',
  nouns: 'domains',
  kind: 'a domain name',
  max: MAX_DOMAINS,
  read: (text: string) => readDomain(text)?.replace(/^www\./, ''),
};
