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
