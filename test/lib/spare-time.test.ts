import { expect, test } from 'vitest';
import { createSpareTime } from '../../src/lib/spare-time.ts';

test('work rests for at least three times as long as it took, and for at most 99 times as long', () => {
  const { restAfter } = createSpareTime();
  for (const tookMs of [1, 10, 1_000]) {
    const rest = restAfter(tookMs);
    expect(rest).toBeGreaterThanOrEqual(3 * tookMs);
    expect(rest).toBeLessThanOrEqual(99.001 * tookMs);
  }
});

test('what took no time needs no rest', () => {
  expect(createSpareTime().restAfter(0)).toBe(0);
});
