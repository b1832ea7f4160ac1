import { expect, test } from 'vitest';
import { openSyncWorld, SYNC_CONTACTS } from '../support/sync-world.ts';

const minutes = (count: number) => count * 60_000;
const PEOPLE = Array.from({ length: 60 }, (_, n) => ({ email: `${n}@behind.example` }));

test.each([
  ['hubspot', 90_000],
  ['hubspot', minutes(60)],
  ['salesforce', 90_000],
  ['salesforce', minutes(60)],
] as const)(
  'every edit in %s is copied by runs of changes where its clock is %i ms behind',
  async (provider, crmBehindMs) => {
    const world = await openSyncWorld({ crmBehindMs });
    try {
      await world.setDestination();
      await world.stores.syncs.setConfiguration(provider, SYNC_CONTACTS);
      const account = world.createAccount(provider, PEOPLE);
      await world.connect({ customerId: 'behind', provider, account });
      await world.runner.runDue();
      const ids = PEOPLE.map((_, n) => account.recordId(n + 1));
      const nextRuns: number[] = [];
      for (const [edit, id] of ids.entries()) {
        account.updatePerson(id, { firstName: `Edit ${edit}` });
        world.pass(minutes(1));
        if (edit % 16 !== 15) continue;
        await world.runner.runDue();
        const [sync] = await world.syncsOf('behind', provider);
        nextRuns.push(Number(sync?.nextRunAt) - world.clock.wall());
      }
      world.pass(minutes(20));
      const outcomes = await world.runner.runDue();
      expect(outcomes.map(({ result }) => result)).toMatchObject([
        { kind: 'completed', position: { isFull: false } },
      ]);
      const rows = await world.rows('select id, first_name from crm.contacts');
      expect(new Map(rows.map((row) => [row.id, row.first_name]))).toEqual(
        new Map(ids.map((id, n) => [id, `Edit ${n}`])),
      );
      // It claims no more than it has, and waits for its interval.
      const [sync] = await world.syncsOf('behind', provider);
      expect(Number(sync?.syncedUntil)).toBeLessThanOrEqual(world.clock.wall() - crmBehindMs);
      expect(Math.min(...nextRuns)).toBeGreaterThan(minutes(10));
      expect(world.runner.errors).toEqual([]);
    } finally {
      await world.close();
    }
  },
);
