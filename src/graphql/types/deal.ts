import { DEAL, type Deal, deal } from '../../domain/records/deal.ts';
import { dealFilters } from '../../domain/records/deal-filter.ts';
import { searchDeals } from '../../usecases/search-deals.ts';
import { builder } from '../define/builder.ts';
import { defineInput, defineObject } from '../define/from-shape.ts';
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

export const DealType = defineObject<Deal>(deal, {
  interfaces: [NodeInterface],
  directives: RECORD_KEYS,
  fields: (t) => recordFields(t, DEAL),
});

const DealConnectionType = foundConnectionOf<Deal>(DealType, DEAL);

const DealFilterInput = defineInput(dealFilters.input);

builder.queryField('searchDeals', (t) =>
  t.field({
    type: DealConnectionType,
    nullable: true,
    description:
      'Searches a customer’s deals in one CRM. Requires an API key, or a customer token that was issued with `canList`. Null, with an error at its path, if the CRM fails; the rest of the response is not affected.',
    args: {
      filter: t.arg({ type: DealFilterInput, required: true, description: 'Search condition.' }),
      ...searchOptions(DEAL.nouns),
      ...targetArguments,
    },
    ...searchCostsOf(dealFilters),
    resolve: (_root, args, context, info) =>
      searchDeals(context, readSearch(DEAL, { target: args, args, info })),
  }),
);
