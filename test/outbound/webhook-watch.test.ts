import { expect, test } from 'vitest';
import { watchWebhooks } from '../../src/outbound/webhooks/watch.ts';

const MINUTE = 60_000;

test('expired events are removed completely, whatever their number', async () => {
  const clock = { at: 0 };
  const turns: (() => void)[] = [];
  const left = { events: 12_000 };
  let isSwept: () => void = () => undefined;
  const swept = new Promise<void>((resolve) => {
    isSwept = resolve;
  });
  const watch = watchWebhooks({
    queue: {
      look: async () => ({ isDue: false, hasEndpoints: false }),
      count: async () => ({ pending: 0, overdueSeconds: 0, failing: 0, disabled: 0 }),
      async sweep() {
        const removed = Math.min(left.events, 5_000);
        left.events -= removed;
        return removed;
      },
    },
    clock: { now: () => clock.at, wall: () => clock.at },
    openSender: () => Promise.reject(new Error('Nothing is to be sent.')),
    onError: (error) => expect(error).toBeUndefined(),
    schedule(_delay, turn) {
      turns.push(turn);
      if (turns.length === 2) isSwept();
      return () => undefined;
    },
  });
  clock.at = 10 * MINUTE;
  turns[0]?.();
  await swept;
  expect(left.events).toBe(0);
  await watch.stop();
});
