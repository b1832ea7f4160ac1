import { expect, test } from 'vitest';
import type { CustomerFilter } from '../../src/domain/customer.ts';
import type { PageRequest } from '../../src/domain/page.ts';
import { describeEachServer } from '../support/databases.ts';

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
