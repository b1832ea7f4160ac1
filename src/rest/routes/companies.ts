import { COMPANY } from '../../domain/records/company.ts';
import { companyFilters } from '../../domain/records/company-filter.ts';
import { searchCompanies } from '../../usecases/search-companies.ts';

import { recordOperations } from './records.ts';

export const companyOperations = recordOperations({
  kind: COMPANY,
  filters: companyFilters,
  search: searchCompanies,
  names: {
    search: 'searchCompanies',
    read: 'getCompany',
    filter: 'CompanySearch',
    page: 'CompanyPage',
  },
  path: 'companies',
  description:
    'Searches companies of one customer at one provider. Filters other than domain and domains require an API key, or a customer token that was issued with can_list. A provider whose companies cannot be read gives 501.',
  bodyExample: { filter: { domain: 'engines.example' } },
  example: {
    id: '2001',
    name: 'Analytical Engines Ltd',
    domain: 'engines.example',
    website: 'https://www.engines.example/about',
    phone_numbers: [{ phone_number: '+44 20 7946 0000', phone_number_type: 'primary' }],
    addresses: [],
    industry: 'COMPUTER_HARDWARE',
    employee_count: 120,
    annual_revenue: { value: '1250000.5' },
    owner_id: '31',
    lifecycle_stage: 'customer',
    created_at: '2024-01-01T09:30:00.000Z',
    updated_at: '2025-03-01T12:00:00.000Z',
    last_modified_at: '2025-03-01T12:00:00.000Z',
    is_deleted: false,
  },
});
