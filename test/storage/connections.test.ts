import { expect, test } from 'vitest';
import type { ConnectionTarget } from '../../src/domain/connection.ts';
import { describeEachServer } from '../support/databases.ts';

describeEachServer('connections that are looked up together', (on) => {
  test('are returned in the order of their targets, and only to their own application', async () => {
    const mine = on.database().forApplication((await on.createApplication()).id);
    const theirs = on.database().forApplication((await on.createApplication()).id);
    for (const { customers } of [mine, theirs]) {
      for (const customerId of ['ada', 'bob']) {
        const connections = [
          { providerName: 'hubspot' as const },
          { providerName: 'salesforce' as const },
        ];
        await customers.upsert({
          customerId,
          name: customerId,
          email: `${customerId}@x.example`,
          connections,
        });
      }
    }
    const targets: ConnectionTarget[] = [
      { customerId: 'bob', providerName: 'salesforce' },
      { customerId: 'ada', providerName: 'hubspot' },
      { customerId: 'nobody', providerName: 'hubspot' },
      { customerId: 'ada', providerName: 'salesforce' },
    ];
    const found = await mine.connections.findMany(targets);
    expect(found.map((one) => one && [one.customerId, one.providerName])).toEqual([
      ['bob', 'salesforce'],
      ['ada', 'hubspot'],
      undefined,
      ['ada', 'salesforce'],
    ]);
    const ids = new Set(
      [...found, ...(await theirs.connections.findMany(targets))].map((one) => one?.id),
    );
    expect(ids.size).toBe(2 * 3 + 1);
  });
});
