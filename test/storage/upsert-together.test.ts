import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ConnectionUpsert, CustomerUpsert } from '../../src/domain/customer.ts';
import { describeEachServer } from '../support/databases.ts';

const TOKEN = { type: 'token', value: 'v' } as const;

/** The upserts are concurrent, so that one statement writes most of them. */
describeEachServer('upserts of different customers that are written together', (on) => {
  const open = async () => on.database().forApplication((await on.createApplication()).id);
  const named = (customerId: string): CustomerUpsert => ({
    customerId,
    name: `name of ${customerId}`,
    email: `${customerId}@example.com`,
  });
  const ids = Array.from({ length: 120 }, (_, index) => `customer-${index}`);

  test('each upsert returns its own customer, and whether it was created', async () => {
    const { customers } = await open();
    await Promise.all(ids.slice(0, 60).map((id) => customers.upsert(named(id))));
    const answers = await Promise.all(ids.map((id) => customers.upsert(named(id))));
    expect(
      answers.map(({ created, customer }) => [created, customer.version, customer.customerId]),
    ).toEqual(ids.map((id, index) => [index >= 60, index < 60 ? 2 : 1, id]));
    const stored = await customers.findMany(ids);
    expect(answers.map(({ customer }) => customer)).toEqual(stored);
  });

  test('each upsert keeps, clears and adds connections and credentials of its own customer only', async () => {
    const { customers, credentials } = await open();
    const connectionsOf: readonly (readonly ConnectionUpsert[] | undefined)[] = [
      undefined,
      [{ providerName: 'hubspot' }],
      [{ providerName: 'hubspot', credentials: null }, { providerName: 'gong' }],
      [
        {
          providerName: 'hubspot',
          credentials: { type: 'token', value: 'new' },
          entityMappings: null,
        },
      ],
      [{ providerName: 'slack', instanceUrl: 'https://a.b' }],
    ];
    const before: readonly ConnectionUpsert[] = [
      {
        providerName: 'hubspot',
        instanceUrl: 'https://x.y',
        entityMappings: [],
        credentials: TOKEN,
      },
    ];
    await Promise.all(ids.map((id) => customers.upsert({ ...named(id), connections: before })));
    const answers = await Promise.all(
      ids.map((id, index) =>
        customers.upsert({ ...named(id), connections: connectionsOf[index % 5] }),
      ),
    );
    const stored = await customers.findMany(ids);
    for (const [index, { customer }] of answers.entries()) {
      expect(stored[index]).toEqual(customer);
      const hubspot = customer.connections.find(({ providerName }) => providerName === 'hubspot');
      const kind = index % 5;
      expect(hubspot).toMatchObject({
        customerId: ids[index],
        instanceUrl: 'https://x.y',
        entityMappings: kind === 3 ? null : [],
        status: kind === 2 ? 'unauthorized' : 'connected',
      });
      const secret = await credentials.read(hubspot?.id ?? '');
      const value = kind === 3 ? 'new' : 'v';
      expect(secret?.credentials).toEqual(kind === 2 ? undefined : { type: 'token', value });
      const others = customer.connections.map(({ providerName }) => providerName);
      expect(others).toEqual([
        ...(kind === 2 ? ['gong'] : []),
        'hubspot',
        ...(kind === 4 ? ['slack'] : []),
      ]);
    }
  });

  test('an upsert that the database rejects fails alone', async () => {
    const { customers } = await open();
    const tooLong = randomBytes(9_000).toString('base64');
    const all = [...ids.slice(0, 10), tooLong, ...ids.slice(10, 20)];
    const results = await Promise.allSettled(all.map((id) => customers.upsert(named(id))));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.map(({ reason }) => reason.code)).toEqual(['UNPROCESSABLE_ENTITY']);
    expect(results[10]?.status).toBe('rejected');
    const stored = (await customers.findMany(ids)).filter((customer) => customer !== undefined);
    expect(stored.length).toBe(20);
    expect(stored.every(({ version }) => version === 1)).toBe(true);
  });

  test('the customers of two applications stay apart', async () => {
    const [first, second] = [await open(), await open()];
    await Promise.all(ids.map((id) => first.customers.upsert(named(id))));
    const answers = await Promise.all(
      ids.flatMap((id) => [first.customers.upsert(named(id)), second.customers.upsert(named(id))]),
    );
    const owners = answers.map(({ customer }) => customer.applicationId);
    expect(new Set(owners).size).toBe(2);
    expect(answers.map(({ customer }) => customer.version)).toEqual(ids.flatMap(() => [2, 1]));
  });
});
