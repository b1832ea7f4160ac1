import { expect, test } from 'vitest';
import { BACKGROUND_WORK } from '../../src/admission/work.ts';
import type { CustomerFilter, CustomerUpsert } from '../../src/domain/customer.ts';
import { CrossbookError } from '../../src/domain/errors.ts';
import type { PageRequest } from '../../src/domain/page.ts';
import { PROVIDER_NAMES } from '../../src/domain/provider-names.ts';
import { PAGE_BYTES } from '../../src/storage/read-bounds.ts';
import { describeEachServer } from '../support/databases.ts';

const CONFIGURATION_BYTES = 63 * 1024;
const NAMES = ['ada', 'bob', 'cyd', 'dan', 'eve'];

describeEachServer('a list of customers', (on) => {
  const open = async () => {
    const other = on.database().forApplication((await on.createApplication()).id);
    const { customers, credentials } = on
      .database()
      .forApplication((await on.createApplication()).id);
    for (const customerId of NAMES) {
      const email = `${customerId}@Example.com`;
      const connections = [
        ...(customerId === 'bob' ? [{ providerName: 'gong' as const, credentials: TOKEN }] : []),
        ...(customerId < 'd' ? [{ providerName: 'hubspot' as const }] : []),
      ];
      for (const store of [customers, other.customers]) {
        await store.upsert({ customerId, name: customerId, email, connections });
      }
    }
    const list = async (filter: CustomerFilter, request: Partial<PageRequest> = {}) => {
      const page = { direction: 'forward', size: 100, boundary: undefined, ...request } as const;
      const { items, hasNextPage, hasPreviousPage } = await customers.list(filter, page);
      return [items.map(({ customerId }) => customerId).join(' '), hasPreviousPage, hasNextPage];
    };
    return { customers, credentials, list };
  };

  test('comes in pages with correct hasNextPage and hasPreviousPage', async () => {
    const { list } = await open();
    expect(await list({})).toEqual(['ada bob cyd dan eve', false, false]);
    expect(await list({}, { size: 2 })).toEqual(['ada bob', false, true]);
    expect(await list({}, { size: 2, boundary: 'bob' })).toEqual(['cyd dan', true, true]);
    expect(await list({}, { size: 2, boundary: 'dan' })).toEqual(['eve', true, false]);
    expect(await list({}, { size: 2, boundary: 'aaa' })).toEqual(['ada bob', false, true]);
    const back = { direction: 'backward' } as const;
    expect(await list({}, { ...back, size: 2 })).toEqual(['dan eve', true, false]);
    expect(await list({}, { ...back, size: 2, boundary: 'dan' })).toEqual(['bob cyd', true, true]);
    expect(await list({}, { ...back, size: 3, boundary: 'dan' })).toEqual([
      'ada bob cyd',
      false,
      true,
    ]);
    expect(await list({}, { size: 0 })).toEqual(['', false, true]);
  });

  test('ends a page early where its customers are large, and every customer is on one page', async () => {
    const { id: applicationId } = await on.createApplication();
    const { customers: all } = on.database().forApplication(applicationId);
    const sizes = Object.entries({ a: 1, b: 18, c: 18, d: 18, e: 18, f: 1, g: 18 });
    for (const [customerId, connections] of sizes)
      await all.upsert(toLargeCustomer(customerId, connections));
    for (const direction of ['forward', 'backward'] as const) {
      const ids: string[] = [];
      const pages: number[] = [];
      let isMore = true;
      while (isMore) {
        let counted = 0;
        const read = (bytes: number) => {
          counted += bytes;
          return undefined;
        };
        const { customers } = on.database().forRequest(applicationId, { ...BACKGROUND_WORK, read });
        const request = { direction, size: 100, boundary: ids.at(-1) };
        const page = await customers.list({}, request);
        const bytes = JSON.stringify(page.items).length;
        // The last statement of a page may not exceed it.
        expect(bytes).toBeLessThan(PAGE_BYTES * 1.1);
        expect(counted).toBeGreaterThan(bytes / 2);
        const found = page.items.map(({ customerId }) => customerId);
        ids.push(...(direction === 'forward' ? found : found.reverse()));
        pages.push(found.length);
        expect(direction === 'forward' ? page.hasPreviousPage : page.hasNextPage).toBe(
          pages.length > 1,
        );
        isMore = direction === 'forward' ? page.hasNextPage : page.hasPreviousPage;
      }
      const sorted = sizes.map(([id]) => id);
      expect(ids).toEqual(direction === 'forward' ? sorted : sorted.reverse());
      expect(pages.length).toBeGreaterThan(1);
    }
  });

  test('reads configurations only where they are wanted, and then a page may have all customers', async () => {
    const { customers } = on.database().forApplication((await on.createApplication()).id);
    for (const id of NAMES) await customers.upsert(toLargeCustomer(id, 18));
    const request = { direction: 'forward', size: 100, boundary: undefined } as const;
    const { items } = await customers.list({}, request, { withConfigurations: false });
    expect(items.map(({ customerId }) => customerId)).toEqual(NAMES);
    expect(items[0]?.connections).toHaveLength(18);
    expect(JSON.stringify(items)).not.toContain('xxx');
    const [plain] = await customers.findMany(['ada'], { withConfigurations: false });
    expect(plain).toEqual(items[0]);
    const [complete] = await customers.findMany(['ada']);
    expect(JSON.stringify(complete).length).toBeGreaterThan(18 * CONFIGURATION_BYTES);
  });

  test('reads large customers by their ids, and stops where the caller gets no heavy place', async () => {
    const { id: applicationId } = await on.createApplication();
    const { customers, connections } = on.database().forApplication(applicationId);
    for (const id of NAMES) await customers.upsert(toLargeCustomer(id, 18));
    const targets = NAMES.map((customerId) => ({ customerId, providerName: 'hubspot' }) as const);
    const [all, found] = await Promise.all([
      customers.findMany([...NAMES, 'nobody']),
      connections.findMany(targets),
    ]);
    expect(all.map((one) => one?.connections.length)).toEqual([18, 18, 18, 18, 18, undefined]);
    expect(found.map((one) => one?.customerId)).toEqual(NAMES);
    const charges: number[] = [];
    const read = async (bytes: number) => {
      charges.push(bytes);
      if (charges.length > 1) throw new CrossbookError('SERVICE_UNAVAILABLE', 'no place');
    };
    const charged = on.database().forRequest(applicationId, { ...BACKGROUND_WORK, read });
    const refused = charged.customers.findMany(NAMES);
    await expect(refused).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(charges).toHaveLength(2);
  });

  test('an upsert that names no connection returns the large ones too', async () => {
    const { customers } = on.database().forApplication((await on.createApplication()).id);
    await customers.upsert(toLargeCustomer('ada', 18));
    const { customer } = await customers.upsert({ customerId: 'ada', name: 'A', email: 'a@b.c' });
    expect(customer.connections).toHaveLength(18);
    expect(customer).toEqual((await customers.findMany(['ada']))[0]);
  });

  test('has all customers that match its filter, and no others', async () => {
    const { list } = await open();
    expect(await list({ customerIds: ['eve', 'nobody', 'ada'] })).toEqual([
      'ada eve',
      false,
      false,
    ]);
    expect(await list({ customerIds: [] })).toEqual(['', false, false]);
    expect(await list({ email: 'cyd@example.com' })).toEqual(['cyd', false, false]);
    expect(await list({ provider: 'hubspot' })).toEqual(['ada bob cyd', false, false]);
    expect(await list({ status: 'unauthorized' }, { boundary: 'ada' })).toEqual([
      'bob cyd',
      true,
      false,
    ]);
    // Of one and the same connection.
    expect(await list({ provider: 'gong', status: 'connected' })).toEqual(['bob', false, false]);
    expect(await list({ provider: 'gong', status: 'unauthorized' })).toEqual(['', false, false]);
    expect(await list({ email: '\0' })).toEqual(['', false, false]);
    expect(await list({}, { boundary: '\ud800' })).toEqual(['', false, false]);
  });

  test('has complete customers, with their connections', async () => {
    const { customers } = await open();
    const request = { direction: 'forward', size: 1, boundary: 'ada' } as const;
    const { items } = await customers.list({}, request);
    expect(items[0]).toEqual((await customers.findMany(['bob']))[0]);
    expect(items[0]?.connections).toHaveLength(2);
  });
});

const TOKEN = { type: 'token', value: 't' } as const;

function toLargeCustomer(customerId: string, connections: number): CustomerUpsert {
  const mappedField = 'x'.repeat(CONFIGURATION_BYTES);
  const mapping = { object: 'contact', fieldMappings: [{ schemaField: 'a', mappedField }] };
  return {
    customerId,
    name: customerId,
    email: `${customerId}@example.com`,
    connections: PROVIDER_NAMES.slice(0, connections).map((providerName) => ({
      providerName,
      schemaMappingsConfig: { commonObjects: [mapping], standardObjects: null },
    })),
  };
}
