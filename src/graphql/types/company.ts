import { COMPANY, type Company, company } from '../../domain/records/company.ts';
import { companyFilters } from '../../domain/records/company-filter.ts';
import { searchCompanies } from '../../usecases/search-companies.ts';
import { builder } from '../define/builder.ts';
import { defineObject, defineOneOf } from '../define/from-shape.ts';
import { NodeInterface } from './node.ts';
import {
  foundConnectionOf,
  RECORD_KEYS,
  readSearch,
  recordFields,
  searchCostsOf,
  searchOptions,
  targetArguments,
} from './records.ts';

export const CompanyType = defineObject<Company>(company, {
  interfaces: [NodeInterface],
  directives: RECORD_KEYS,
  fields: (t) => recordFields(t, COMPANY),
});

const CompanyConnectionType = foundConnectionOf<Company>(CompanyType, COMPANY);

const CompanyFilterInput = defineOneOf(companyFilters.input);

builder.queryField('searchCompanies', (t) =>
  t.field({
    type: CompanyConnectionType,
    nullable: true,
    description:
      'Searches a customer’s companies in one CRM. Filters other than `domain` and `domains` require an API key, or a customer token that was issued with `canList`. Null, with an error at its path, if the CRM fails; the rest of the response is not affected.',
    args: {
      filter: t.arg({ type: CompanyFilterInput, required: true, description: 'Search condition.' }),
      ...searchOptions(COMPANY.nouns),
      ...targetArguments,
    },
    ...searchCostsOf(companyFilters),
    resolve: (_root, args, context, info) =>
      searchCompanies(context, readSearch(COMPANY, { target: args, args, info })),
  }),
);
