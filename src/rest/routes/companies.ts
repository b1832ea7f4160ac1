import * as z from 'zod';
import { CrossbookError } from '../../domain/errors.ts';
import { COMPANY, company } from '../../domain/records/company.ts';
import { companyFilters } from '../../domain/records/company-filter.ts';
import { PROVIDER_CALL, wholeSearchCost } from '../../domain/records/record-search.ts';
import { searchCompanies } from '../../usecases/search-companies.ts';
import { findRecord } from '../../usecases/search-records.ts';
import { defineOperation } from '../operation.ts';
import { fromWire, object, text, toSchema } from '../schemas.ts';
import {
  FETCHED_AT,
  paginationSchema,
  rawDataField,
  searchBody,
  searchQuery,
  targetHeaders,
  toPagination,
  toRawSelection,
  toRecord,
} from './searches.ts';

const companySchema = object('response', 'Company', company.description, {
  ...toSchema(company, 'response').shape,
  raw_data: rawDataField,
});

const EXAMPLE = {
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
};

export const companyOperations = [
  defineOperation({
    id: 'searchCompanies',
    route: 'POST /companies/_search',
    summary: 'Search companies',
    description:
      'Lists companies of one customer at one provider. Requires an API key, or a customer token that was issued with can_list. A provider whose companies cannot be read gives 501.',
    callers: ['apiKey', 'customerToken'],
    input: {
      query: z.strictObject(searchQuery),
      headers: targetHeaders,
      body: searchBody('CompanySearch', companyFilters.input),
    },
    bodyExample: { filter: { modified_since: '2026-01-31T00:00:00Z' } },
    response: {
      description: 'A page of companies.',
      schema: object('response', 'CompanyPage', 'A page of companies.', {
        pagination: paginationSchema,
        records: z.array(companySchema).describe('Companies of this page, sorted by id.'),
      }),
      example: {
        pagination: { next: null, previous: null, total_count: 1 },
        records: [EXAMPLE],
      },
      headers: FETCHED_AT,
    },
    errors: [404, 409, 422, 499, 501],
    async handle(context, { query, headers: named, body: { filter } }, { headers }) {
      const raw = toRawSelection(query);
      await context.charge(wholeSearchCost(0, query.page_size));
      const page = await searchCompanies(context, {
        provider: named['x-provider-name'],
        filter: fromWire(companyFilters.input, filter),
        page: { size: query.page_size, cursor: query.cursor },
        readFromCache: query.read_from_cache ?? false,
        selection: { ...raw, totalCount: 'first page', needsPreviousPage: true },
      });
      if (page.countFailure !== undefined) throw page.countFailure;
      headers['x-fetched-at'] = page.fetchedAt;
      const records = page.items.map((one) => toRecord(company, one, raw.rawData));
      return { pagination: toPagination(page), records };
    },
  }),
  defineOperation({
    id: 'getCompany',
    route: 'GET /companies/{remote_id}',
    summary: 'Read a company',
    description: 'A company of one customer by its id at the provider.',
    callers: ['apiKey', 'customerToken'],
    input: {
      path: z.strictObject({ remote_id: text('Id of the company at the provider.', '2001') }),
      headers: targetHeaders,
    },
    response: { description: 'The company.', schema: companySchema, example: EXAMPLE },
    errors: [404, 409, 499, 501],
    async handle(context, { path, headers: named }) {
      await context.charge(PROVIDER_CALL);
      const key = { provider: named['x-provider-name'], remoteId: path.remote_id };
      const record = await findRecord(context, COMPANY, key, { rawData: false });
      if (record) return toRecord(company, record, false);
      throw new CrossbookError('NOT_FOUND', 'The provider has no company with this id.');
    },
  }),
];
