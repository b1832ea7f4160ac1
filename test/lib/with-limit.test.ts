import { expect, test } from 'vitest';
import { withLimit } from '../../src/lib/clock.ts';
import { createFakeClock, settle } from '../support/clock.ts';

const never = new Promise<never>(() => {});

test('a result within the time limit is returned', async () => {
  const clock = createFakeClock();
  expect(await withLimit(Promise.resolve('done'), { limitMs: 100, clock })).toBe('done');
  await expect(withLimit(Promise.reject(new Error('no')), { limitMs: 100, clock })).rejects.toThrow(
    'no',
  );
  await settle();
  expect(clock.pending).toBe(0);
});

test('a result after the time limit is an error', async () => {
  const clock = createFakeClock();
  const limited = watch(withLimit(never, { limitMs: 100, clock }));
  await clock.advance(140);
  expect(limited.error).toBeUndefined();
  await clock.advance(10);
  expect(limited.error).toMatchObject({ message: 'timeout expired' });
});

test('a process that was suspended waits for that time again, at most for the limit', async () => {
  for (const [stoppedMs, moreMs] of [
    [180, 80],
    [10_000, 100],
  ] as const) {
    // The timer fires only when the process goes on.
    let time = 0;
    const timers: { ms: number; fire(): void }[] = [];
    const clock = {
      now: () => time,
      schedule: (ms: number, fire: () => void) => {
        timers.push({ ms, fire });
        return () => undefined;
      },
    };
    const limited = watch(withLimit(never, { limitMs: 100, clock }));
    time = stoppedMs;
    timers[0]?.fire();
    await settle();
    expect(limited.error).toBeUndefined();
    expect(timers[1]?.ms).toBe(moreMs + 50);
    timers[1]?.fire();
    await settle();
    expect(limited.error).toMatchObject({ message: 'timeout expired' });
  }
});

function watch(promise: Promise<unknown>): { error: unknown } {
  const seen: { error: unknown } = { error: undefined };
  promise.catch((error) => {
    seen.error = error;
  });
  return seen;
}
