import { expect, test } from 'vitest';
import { startSweeps } from '../../src/storage/maintenance.ts';
import { createFakeClock } from '../support/clock.ts';

const MINUTE_MS = 60_000;

test('entries that are a day old or above the quota are deleted every five minutes, until the end', async () => {
  const clock = createFakeClock(Date.parse('2026-11-20T12:00:00.000Z'));
  const swept: object[] = [];
  const sweep = startSweeps(
    {
      maintenance: { sweepContactCache: async (bounds) => swept.push(bounds) },
      sweepConnectLinks: async () => {},
    },
    { maxBytesPerApplication: 1_000, onError: () => {}, schedule: clock.schedule, clock },
  );
  await clock.advance(10 * MINUTE_MS);
  expect(swept).toEqual([
    { olderThan: new Date('2026-11-19T12:05:00.000Z'), maxBytesPerApplication: 1_000 },
    { olderThan: new Date('2026-11-19T12:10:00.000Z'), maxBytesPerApplication: 1_000 },
  ]);
  await sweep.stop();
  await clock.advance(10 * MINUTE_MS);
  expect(swept).toHaveLength(2);
});

test('the contact cache is swept also while connect links cannot be, and each failure is reported', async () => {
  const clock = createFakeClock();
  const errors: unknown[] = [];
  let swept = 0;
  const sweep = startSweeps(
    {
      maintenance: {
        async sweepContactCache() {
          swept += 1;
          if (swept > 1) throw new Error('no cache');
        },
      },
      sweepConnectLinks: () => Promise.reject(new Error('no links')),
    },
    {
      maxBytesPerApplication: 1_000,
      onError: (error) => void errors.push(error),
      schedule: clock.schedule,
      clock,
    },
  );
  await clock.advance(10 * MINUTE_MS);
  expect(swept).toBe(2);
  expect(errors.map(String)).toEqual(['Error: no links', 'Error: no links', 'Error: no cache']);
  await sweep.stop();
});
