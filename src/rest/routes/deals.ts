import { DEAL } from '../../domain/records/deal.ts';
import { dealFilters } from '../../domain/records/deal-filter.ts';
import { searchDeals } from '../../usecases/search-deals.ts';
import { recordOperations } from './records.ts';

export const dealOperations = recordOperations({
  kind: DEAL,
  filters: dealFilters,
  search: searchDeals,
  names: { search: 'searchDeals', read: 'getDeal', filter: 'DealSearch', page: 'DealPage' },
  path: 'deals',
  description:
    'Searches deals of one customer at one provider. Requires an API key, or a customer token that was issued with can_list. A provider whose deals cannot be read gives 501.',
  bodyExample: { filter: { status: 'open' } },
  example: {
    id: '3001',
    name: 'Analytical Engines: 20 seats',
    amount: { value: '12000', currency: 'EUR' },
    status: 'open',
    pipeline: { id: 'default', label: 'Sales' },
    stage: { id: 'contractsent', label: 'Contract sent', status: 'open', probability: 0.9 },
    close_date: '2026-03-31',
    owner_id: '31',
    next_step: 'Send the contract',
    created_at: '2024-01-01T09:30:00.000Z',
    updated_at: '2025-03-01T12:00:00.000Z',
    last_modified_at: '2025-03-01T12:00:00.000Z',
    is_deleted: false,
  },
});
