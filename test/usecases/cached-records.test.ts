import { expect, test } from 'vitest';
import type { CrmAccess, Provider } from '../../src/domain/provider.ts';
import { RECORDS } from '../../src/domain/records/catalogue.ts';
import type { SearchedKind } from '../../src/domain/records/conditions.ts';
import {
  type ContactFilterInput,
  contactFilters,
} from '../../src/domain/records/contact-filter.ts';
import type { CrmRecord } from '../../src/domain/records/record.ts';
import type { RecordType } from '../../src/domain/records/record-type.ts';
import { searchRecords } from '../../src/usecases/search-records.ts';
import { createFakeServices } from '../support/fake-services.ts';

const HEADERS = {
  'x-api-key': 'demo-key',
  'x-customer-id': 'demo',
  'x-provider-name': 'hubspot',
};

test('look-ups of all types of records by the same filter have cache entries of their own', async () => {
  const { services, openContext, people, tenant } = await createFakeServices();
  const known = services.providers.get('hubspot') as Provider & { readonly crm: CrmAccess };
  const { CONTACT } = known.crm.records;
  // Every type has the filters of contacts here, because look-ups of two types have no filter in common.
  const kinds = Object.values(RECORDS).map((record) => ({ record, filters: contactFilters }));
  const records = { CONTACT, COMPANY: CONTACT, DEAL: CONTACT };
  const crm: CrmAccess = { ...known.crm, records };
  Object.assign(services, { providers: new Map([['hubspot', { ...known, crm }]]) });
  await tenant.customers.upsert({
    customerId: 'demo',
    name: 'Demo customer',
    email: 'demo@example.com',
    connections: [{ providerName: 'hubspot', records: Object.keys(records) as RecordType[] }],
  });
  const keys: string[] = [];
  const { write } = tenant.contactCache;
  Object.assign(tenant.contactCache, {
    write(entry: Parameters<typeof write>[0]) {
      keys.push(entry.filterKey());
      return write(entry);
    },
  });
  const email = people[0]?.emailAddresses[0]?.emailAddress ?? '';
  const search = async (kind: (typeof kinds)[number]) => {
    const found = await searchRecords(
      openContext(new Headers(HEADERS)),
      kind as SearchedKind<CrmRecord, ContactFilterInput>,
      {
        filter: { email },
        page: { size: 5 },
        readFromCache: true,
        selection: { rawData: false, totalCount: false, needsPreviousPage: false },
      },
    );
    return [kind.record.type, found.items.length];
  };
  const find = async () => {
    const found = [];
    for (const kind of kinds) found.push(await search(kind));
    return Object.fromEntries(found);
  };
  // The simulated CRM has people only.
  const expected = Object.fromEntries(
    kinds.map(({ record: { type } }) => [type, type === 'CONTACT' ? 1 : 0]),
  );
  expect(await find()).toEqual(expected);
  expect(new Set(keys).size).toBe(kinds.length);
  expect(await find()).toEqual(expected);
  // The second time, each was in the cache.
  expect(keys).toHaveLength(kinds.length);
});
