import { expect, test } from 'vitest';
import type { ConnectionUpsert } from '../../src/domain/customer.ts';
import { describeEachServer } from '../support/databases.ts';

const ADA = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
const TOKEN = { type: 'token', value: 'v' } as const;

describeEachServer('upserts at the same time', (on) => {
  const open = async () => on.database().forApplication((await on.createApplication()).id);

  test('a thousand upserts of one customer give one row and each version once, without errors', async () => {
    const { customers } = await open();
    const connections: ConnectionUpsert[] = [{ providerName: 'hubspot', credentials: TOKEN }];
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) =>
        customers.upsert({ ...ADA, name: `${index}`, connections }),
      ),
    );
    const versions = answers
      .map(({ customer }) => customer.version)
      .sort((left, right) => left - right);
    expect(versions).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
    expect(answers.filter(({ created }) => created).length).toBe(1);
    const stored = (await customers.findMany(['ada']))[0];
    const last = answers.find(({ customer }) => customer.version === 1_000);
    expect(stored).toEqual(last?.customer);
  });

  test('concurrent upserts that each add a provider lose none, and the last one returns all', async () => {
    const { customers } = await open();
    const providers = [
      'hubspot',
      'salesforce',
      'pipedrive',
      'gong',
      'slack',
      'linear',
      'apollo',
      'marketo',
    ] as const;
    const answers = await Promise.all(
      providers.map((providerName) =>
        customers.upsert({ ...ADA, connections: [{ providerName }] }),
      ),
    );
    const last = answers.find(({ customer }) => customer.version === providers.length);
    expect(last?.customer.connections.length).toBe(providers.length);
    expect((await customers.findMany(['ada']))[0]).toEqual(last?.customer);
  });

  test('exactly one of the upserts that expect the same version succeeds', async () => {
    const { customers } = await open();
    for (const expectedVersion of [0, 1]) {
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, () => customers.upsert({ ...ADA, expectedVersion })),
      );
      const refused = results.filter((result) => result.status === 'rejected');
      expect(refused.length).toBe(19);
      for (const { reason } of refused) expect(reason.code).toBe('CONFLICT');
    }
  });

  test('different customers with several connections each do not disturb each other', async () => {
    const { customers } = await open();
    const connections: ConnectionUpsert[] = [{ providerName: 'hubspot' }, { providerName: 'gong' }];
    const ids = Array.from({ length: 200 }, (_, index) => `customer-${index}`);
    await Promise.all(
      ids.map((customerId) => customers.upsert({ ...ADA, customerId, connections })),
    );
    const stored = await customers.findMany(ids);
    expect(stored.map((customer) => customer?.connections.length)).toEqual(ids.map(() => 2));
  });
});
