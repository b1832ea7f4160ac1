import { expect, test } from 'vitest';
import type { ClaimedConnection, DueSync } from '../../src/domain/sync.ts';
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
