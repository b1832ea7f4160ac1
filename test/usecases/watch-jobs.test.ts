import { expect, test } from 'vitest';
import { createJobsWatch } from '../../src/usecases/watch-jobs.ts';
import { createFakeClock } from '../support/clock.ts';

function open(doesJobs: boolean, ages: readonly (number | undefined)[] = []) {
  const clock = createFakeClock();
  const lines: string[] = [];
  const left = [...ages];
  let beats = 0;
  const write = (_: object, message: string) => void lines.push(message);
  const watch = createJobsWatch({
    doesJobs,
    clock,
    log: { info: write, warn: write },
    heartbeat: {
      beatJobs: async () => void beats++,
      readJobsAge: async () => left.shift(),
    },
  });
  return { watch, clock, lines, countBeats: () => beats };
}

test('a process that does jobs says so to the others, and misses none', async () => {
  const { watch, clock, lines, countBeats } = open(true);
  for (let count = 0; count < 3; count += 1) {
    await clock.advance(60_000);
    await watch.check();
  }
  expect([watch.secondsSince(), countBeats(), lines]).toEqual([0, 3, []]);
});

test('an installation in which no process does jobs says so once, and again when one does them', async () => {
  const { watch, clock, lines } = open(false, [undefined, undefined, undefined, undefined, 5]);
  for (let count = 0; count < 4; count += 1) {
    await watch.check();
    await clock.advance(60_000);
  }
  expect(lines).toEqual([expect.stringContaining('no process does jobs')]);
  expect(lines[0]).toContain('Start `crossbook jobs`');
  expect(watch.secondsSince()).toBe(240);
  await watch.check();
  expect(watch.secondsSince()).toBe(5);
  expect(lines.at(-1)).toBe('a process does jobs again');
});

test('a process for jobs has two minutes to start', async () => {
  const { watch, clock, lines } = open(false, [86_400, 86_400]);
  await watch.check();
  await clock.advance(119_000);
  await watch.check();
  expect(lines).toEqual([]);
});
