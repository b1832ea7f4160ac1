import { costs } from '@crossbook/executor';
import { DEFAULT_PAGE_SIZE } from '../../domain/page.ts';
import { COMPANY, type Company, company } from '../../domain/records/company.ts';
import { companyFilters } from '../../domain/records/company-filter.ts';
import { searchCost } from '../../domain/records/record-search.ts';
import { searchCompanies } from '../../usecases/search-companies.ts';
import { builder } from '../define/builder.ts';
import { defineObject, defineOneOf } from '../define/from-shape.ts';
import { NodeInterface } from './node.ts';
import { pageSizeOf, readPageInput } from './pagination.ts';
import {
  foundConnectionOf,
  RECORD_KEYS,
  readSearchSelection,
  recordFields,
  searchOptions,
  targetArguments,
} from './records.ts';

const CompanyType = defineObject<Company>(company, {
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
      'Searches a customer’s companies in one CRM. Requires an API key, or a customer token that was issued with `canList`. Null, with an error at its path, if the CRM fails; the rest of the response is not affected.',
    args: {
      filter: t.arg({ type: CompanyFilterInput, required: true, description: 'Search condition.' }),
      ...searchOptions(COMPANY.nouns),
      ...targetArguments,
    },
    ...costs({
      weight: searchCost(0),
      pageSize: (args) => pageSizeOf(args, DEFAULT_PAGE_SIZE),
    }),
    resolve(_root, { customerId, provider, filter, ...args }, context, info) {
      const page = readPageInput(args);
      const selection = readSearchSelection(COMPANY, info, page);
      const readFromCache = args.readFromCache ?? false;
      return searchCompanies(context, {
        customerId,
        provider,
        filter,
        page,
        readFromCache,
        selection,
      });
    },
  }),
);
