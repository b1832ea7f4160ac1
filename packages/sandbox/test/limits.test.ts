import { expect, test } from 'vitest';
import { createDailyMeter, createRollingWindow } from '../src/limits.ts';

test('a rolling window counts accepted calls only, and only those within its length', () => {
  const window = createRollingWindow({ max: 2, windowMs: 1_000 });
  expect([0, 600, 700, 999, 1_000, 1_599, 1_600].map((now) => window.take(now))).toEqual([
    true,
    true,
    false,
    false,
    true,
    false,
    true,
  ]);
  expect(window.used(1_600)).toBe(2);
  expect(window.used(2_600)).toBe(0);
});

test('a window with many calls drops old ones as it moves', () => {
  const window = createRollingWindow({ max: 5_000, windowMs: 10 });
  for (let now = 0; now < 20_000; now += 1) expect(window.take(now)).toBe(true);
  expect(window.used(19_999)).toBe(10);
});

test('a daily quota resets at midnight', () => {
  const meter = createDailyMeter({ max: 1 });
  const noon = Date.UTC(2026, 10, 20, 12);
  expect([meter.take(noon), meter.take(noon + 1), meter.take(noon + 12 * 3_600_000)]).toEqual([
    true,
    false,
    true,
  ]);
});
