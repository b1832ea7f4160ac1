import { expect, test } from 'vitest';
import type { ClaimedConnection, ClaimedRemoval, DueSync } from '../../src/domain/sync.ts';
import { openSyncWorker } from '../../src/sync/worker.ts';
import { createFakeClock } from '../support/clock.ts';

test('a lease counts from before its claim, which may have waited for the database', async () => {
  const clock = createFakeClock();
  const held: boolean[] = [];
  let claims = [{ applicationId: 'application', connectionId: 'connection' } as ClaimedConnection];
  const worker = openSyncWorker({
    clock,
    schedule: clock.schedule,
    onError: (error) => expect(error).toBeUndefined(),
    removals: { claim: async () => undefined },
    queue: {
      async claim() {
        const claimed = claims;
        claims = [];
        await clock.advance(55_000);
        return claimed;
      },
      readDue: async () => [{ table: 'contacts' } as DueSync],
      extend: async () => true,
      release: async () => {},
    },
    run: async (_due, { lease }) => void held.push(lease.isHeld()),
    remove: async () => {},
  });
  await worker.pump();
  await worker.stop();
  expect(held).toEqual([false]);
});

test('removals of rows are done one at a time, and what is claimed after one follows it', async () => {
  const clock = createFakeClock();
  const due = ['first', 'second'].map((id) => ({ id }) as ClaimedRemoval);
  const removed: string[] = [];
  const worker = openSyncWorker({
    clock,
    schedule: clock.schedule,
    onError: (error) => expect(error).toBeUndefined(),
    removals: { claim: async () => due.shift() },
    queue: {
      claim: async () => [],
      readDue: async () => [],
      extend: async () => true,
      release: async () => {},
    },
    run: async () => {},
    remove: async ({ id }) => void removed.push(id),
  });
  await worker.pump();
  await expect.poll(() => removed).toEqual(['first', 'second']);
  await worker.stop();
});

test('applications whose destinations do not respond delay others for two seconds at most', async () => {
  const clock = createFakeClock();
  const due = ['a', 'b', 'c'].flatMap((applicationId) => connectionsOf(applicationId, 20));
  const running: string[] = [];
  const hangs = new Set(['a', 'b', 'c']);
  const answers: (() => void)[] = [];
  const worker = openSyncWorker({
    clock,
    schedule: clock.schedule,
    onError: (error) => expect(error).toBeUndefined(),
    removals: { claim: async () => undefined },
    queue: {
      claim: async ({ free, held }) => claimFairly(due, free, held),
      readDue: async ({ applicationId }) => [{ table: applicationId } as DueSync],
      extend: async () => true,
      release: async () => {},
    },
    async run({ table }, { waitFor }) {
      running.push(table);
      if (hangs.has(table)) await waitFor(new Promise<void>((resolve) => answers.push(resolve)));
    },
    remove: async () => {},
  });
  // Without room for a newcomer, as after several hours of such destinations.
  for (let seconds = 0; seconds < 10; seconds += 1) {
    await worker.pump();
    await clock.advance(1_000);
  }
  for (const hanging of hangs)
    expect(running.filter((one) => one === hanging).length).toBeLessThanOrEqual(6);
  due.push(...connectionsOf('d', 3));
  await worker.pump();
  await clock.advance(2_000);
  expect(running.filter((one) => one === 'd')).toHaveLength(3);
  // Their slots are counted again once they respond: nothing is started beyond them.
  hangs.clear();
  due.splice(0);
  for (const answer of answers) answer();
  await worker.stop();
});

function connectionsOf(applicationId: string, count: number): ClaimedConnection[] {
  return Array.from(
    { length: count },
    (_, place) =>
      ({ applicationId, connectionId: `${applicationId}${place}` }) as ClaimedConnection,
  );
}

/** As the statement does: twice of what an application holds is less than what is free by then. */
function claimFairly(
  due: ClaimedConnection[],
  free: number,
  held: ReadonlyMap<string, number>,
): ClaimedConnection[] {
  const counts = new Map(held);
  const placed = due
    .map((connection) => {
      const place = (counts.get(connection.applicationId) ?? 0) + 1;
      counts.set(connection.applicationId, place);
      return { connection, place };
    })
    .sort((a, b) => a.place - b.place);
  const claimed = placed
    .filter(({ place }, index) => 2 * (place - 1) <= free - (index + 1))
    .map(({ connection }) => connection);
  for (const one of claimed) due.splice(due.indexOf(one), 1);
  return claimed;
}
