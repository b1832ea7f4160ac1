import { expect, test } from 'vitest';
import type { ConnectionUpsert } from '../../src/domain/customer.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { describeEachServer } from '../support/databases.ts';

const DAY_MS = 24 * 60 * 60_000;
const ANSWERED = { type: 'oauth2', accessToken: 'a', refreshToken: 'r', expiresAt: null } as const;

describeEachServer('idle credentials', (on) => {
  const open = async () => {
    const { id } = await on.createApplication();
    const { customers, credentials } = on.database().forApplication(id);
    const { idleCredentials: idle } = on.database();
    const put = async (customerId: string, { usedDaysAgo, ...connection }: Idle) => {
      const connections = [
        { providerName: 'hubspot' as const, credentials: ANSWERED, ...connection },
      ];
      const { customer } = await customers.upsert({
        customerId,
        name: 'C',
        email: 'c@d.example',
        connections,
      });
      const connectionId = customer.connections[0]?.id ?? '';
      await on.rows('update crossbook.credentials set updated_at = $2 where connection_id = $1', [
        connectionId,
        new Date(systemClock.wall() - usedDaysAgo * DAY_MS),
      ]);
      return connectionId;
    };
    const claim = async (daysIdle = 7, hours = 1) => {
      const idleBefore = systemClock.wall() - daysIdle * DAY_MS;
      const claimed = await idle.claim({
        providers: ['hubspot'],
        limit: 1_000,
        idleBefore: new Date(idleBefore),
        claimedAs: new Date(idleBefore + hours * 60 * 60_000),
      });
      return claimed.filter(({ applicationId }) => applicationId === id);
    };
    return { id, idle, credentials, put, claim };
  };

  test('are given to one claim at a time, the longest idle first, and again after the claim has expired', async () => {
    const { id, put, claim } = await open();
    const nine = await put('nine', { usedDaysAgo: 9 });
    const eight = await put('eight', { usedDaysAgo: 8 });
    await put('six', { usedDaysAgo: 6 });
    const [one, other] = await Promise.all([claim(), claim()]);
    const both = [...one, ...other];
    expect(both.map(({ connectionId }) => connectionId).toSorted()).toEqual(
      [nine, eight].toSorted(),
    );
    expect(both.find(({ connectionId }) => connectionId === nine)).toEqual({
      applicationId: id,
      connectionId: nine,
      customerId: 'nine',
      providerName: 'hubspot',
      generation: 1,
    });
    expect(await claim()).toEqual([]);
    // An hour and a bit later.
    expect(await claim(7 - 1.1 / 24)).toHaveLength(2);
  });

  test('without a way to refresh are skipped as long as if they had been used', async () => {
    const { put, claim, credentials, idle } = await open();
    await put('none', { usedDaysAgo: 8, credentials: null });
    await put('elsewhere', { usedDaysAgo: 8, providerName: 'pipedrive' });
    const refused = await put('refused', { usedDaysAgo: 8 });
    await credentials.markRefused(refused, 1, 'refresh_token_refused');
    const fixed = await put('static', { usedDaysAgo: 8 });
    const claimed = await claim();
    expect(claimed.map(({ connectionId }) => connectionId)).toEqual([fixed]);
    for (const one of claimed) await idle.passOver(one);
    expect(await claim(1)).toEqual([]);
  });

  test('are no longer idle after they were used', async () => {
    const { put, claim, credentials } = await open();
    const id = await put('used', { usedDaysAgo: 8 });
    await credentials.refreshOnce(id, 1, async () => ({
      credentials: { ...ANSWERED, accessToken: 'b' },
    }));
    expect(await claim()).toEqual([]);
  });

  test('are refreshed by one process at a time', async () => {
    const { idle } = await open();
    const [one, other] = [crypto.randomUUID(), crypto.randomUUID()];
    await on.rows('delete from crossbook.job_leases', []);
    expect(await idle.acquireJobLease(one, 60_000)).toBe(true);
    expect(await idle.acquireJobLease(other, 60_000)).toBe(false);
    expect(await idle.acquireJobLease(one, 0)).toBe(true);
    expect(await idle.acquireJobLease(other, 60_000)).toBe(true);
    await on.rows('delete from crossbook.job_leases', []);
  });
});

interface Idle extends Partial<ConnectionUpsert> {
  readonly usedDaysAgo: number;
}
