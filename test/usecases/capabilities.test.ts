import { expect, test } from 'vitest';
import type { CrmAccess, Provider } from '../../src/domain/provider.ts';
import { PROVIDER_TITLES } from '../../src/domain/provider-names.ts';
import { companyFilters } from '../../src/domain/records/company-filter.ts';
import { contactFilters } from '../../src/domain/records/contact-filter.ts';
import { dealFilters } from '../../src/domain/records/deal-filter.ts';
import { createRegistry } from '../../src/providers/registry.ts';
import { searchCompanies } from '../../src/usecases/search-companies.ts';
import { searchContacts } from '../../src/usecases/search-contacts.ts';
import { createFakeServices } from '../support/fake-services.ts';

const SELECTION = { rawData: false, totalCount: false, needsPreviousPage: false };
const PAGE = { page: { size: 5 }, readFromCache: false, selection: SELECTION };

test('a filter or a type of record that a CRM does not declare is 501, and others are answered', async () => {
  const { services, openContext } = await createFakeServices();
  const known = services.providers.get('hubspot') as Provider & { readonly crm: CrmAccess };
  const { CONTACT } = known.crm.records;
  const { phone: _, ...filters } = CONTACT.filters;
  const crm: CrmAccess = { ...known.crm, records: { CONTACT: { ...CONTACT, filters } } };
  Object.assign(services, { providers: new Map([['hubspot', { ...known, crm }]]) });
  const headers = {
    'x-api-key': 'demo-key',
    'x-customer-id': 'demo',
    'x-provider-name': 'hubspot',
  };
  const context = () => openContext(new Headers(headers));
  await expect(
    searchContacts(context(), { filter: { phone: '+44 20 7946 0000' }, ...PAGE }),
  ).rejects.toMatchObject({
    code: 'NOT_IMPLEMENTED',
    message: 'The contacts of HubSpot cannot be searched by phone.',
  });
  await expect(
    searchCompanies(context(), { filter: { all: true }, ...PAGE }),
  ).rejects.toMatchObject({
    code: 'NOT_IMPLEMENTED',
    message: 'The companies of HubSpot cannot be searched.',
  });
  const found = await searchContacts(context(), { filter: { all: true }, ...PAGE });
  expect(found.items).toHaveLength(5);
});

test('the description of a filter names each CRM that has no such search, and no other', () => {
  const inputs = { CONTACT: contactFilters, COMPANY: companyFilters, DEAL: dealFilters };
  for (const [record, { input }] of Object.entries(inputs))
    for (const { name, crm } of createRegistry().values()) {
      if (!crm) continue;
      const known = crm.records[record as keyof typeof inputs]?.filters ?? {};
      const lacking = Object.entries<{ readonly description: string }>(input.fields)
        .filter(([, { description }]) => description.includes(`Not in ${PROVIDER_TITLES[name]}.`))
        .map(([filter]) => filter);
      expect({ name, record, lacking }).toEqual({
        name,
        record,
        lacking: Object.keys(input.fields).filter((filter) => !(filter in known)),
      });
    }
});
