import { expect, test } from 'vitest';
import { createIdleThrottle } from '../../src/lib/clock.ts';

test('work rests for at least three times as long as it took, and for at most 99 times as long', () => {
  const { pauseAfter } = createIdleThrottle();
  for (const tookMs of [1, 10, 1_000]) {
    const rest = pauseAfter(tookMs);
    expect(rest).toBeGreaterThanOrEqual(3 * tookMs);
    expect(rest).toBeLessThanOrEqual(99.001 * tookMs);
  }
});

test('work without duration needs no rest', () => {
  expect(createIdleThrottle().pauseAfter(0)).toBe(0);
});
