import { expect, test } from 'vitest';
import { watchWebhooks } from '../../src/outbound/webhooks/watch.ts';
import { createFakeClock, settle } from '../support/clock.ts';

test('polls never overlap: events that are appended during a poll are looked for soon after it', async () => {
  const { watch, clock, polls, end } = open();
  await clock.advance(3_000);
  await end({ isDue: false });
  watch.wake();
  await clock.advance(50);
  expect(polls()).toBe(2);
  for (let count = 0; count < 5; count += 1) {
    watch.wake();
    await clock.advance(1_000);
  }
  expect(polls()).toBe(2);
  await end({ isDue: false });
  await clock.advance(50);
  expect(polls()).toBe(3);
  await end({ isDue: false });
  expect(clock.pending).toBe(1);
  await watch.stop();
});

test('stopping waits for the running poll, which opens no sender any more', async () => {
  const { watch, clock, opened, end } = open();
  await clock.advance(3_000);
  await end({ isDue: false });
  watch.wake();
  await clock.advance(50);
  watch.wake();
  await clock.advance(50);
  const log: string[] = [];
  const stopped = watch.stop().then(() => log.push('stopped'));
  await settle();
  log.push('the poll ends');
  await end({ isDue: true });
  await stopped;
  expect(log).toEqual(['the poll ends', 'stopped']);
  expect(opened()).toBe(0);
  expect(clock.pending).toBe(0);
});

/** A queue whose look-ups end when the test ends them. */
function open() {
  const clock = createFakeClock();
  const looks: ((found: { isDue: boolean; hasEndpoints: boolean }) => void)[] = [];
  let polls = 0;
  let opened = 0;
  const watch = watchWebhooks({
    queue: {
      look: () => {
        polls += 1;
        return new Promise((resolve) => looks.push(resolve));
      },
      count: async () => ({ pending: 0, overdueSeconds: 0, failing: 0, disabled: 0 }),
    },
    clock,
    schedule: clock.schedule,
    openSender: async () => {
      opened += 1;
      return { pump: async () => {}, stop: async () => {} };
    },
    mayCount: async () => true,
    onError: (error) => expect(error).toBeUndefined(),
  });
  /** Ends the look-ups of all running polls. */
  async function end({ isDue }: { readonly isDue: boolean }): Promise<void> {
    for (const resolve of looks.splice(0)) resolve({ isDue, hasEndpoints: true });
    await settle();
  }
  return { watch, clock, end, polls: () => polls, opened: () => opened };
}
