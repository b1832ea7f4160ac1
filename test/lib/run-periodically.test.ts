import { expect, test } from 'vitest';
import { runPeriodically } from '../../src/lib/clock.ts';
import { createFakeClock, settle } from '../support/clock.ts';

test('the job runs repeatedly, each time one interval after the previous run ended', async () => {
  const { clock, repeated, started, finish } = open();
  await clock.advance(999);
  expect(started()).toBe(0);
  await clock.advance(1);
  await clock.advance(5_000);
  expect(started()).toBe(1);
  await finish();
  await clock.advance(1_000);
  expect(started()).toBe(2);
  await finish();
  await repeated.stop();
});

test('the job continues after a failure, which is reported', async () => {
  const { clock, repeated, started, finish, failures } = open();
  await clock.advance(1_000);
  await finish(new Error('not today'));
  await clock.advance(1_000);
  expect(started()).toBe(2);
  expect(failures).toEqual([new Error('not today')]);
  await finish();
  await repeated.stop();
});

test('stopping waits for a running job, and leaves no timer', async () => {
  const { clock, repeated, started, finish } = open();
  await clock.advance(1_000);
  let hasStopped = false;
  const stopped = repeated.stop().then(() => {
    hasStopped = true;
  });
  await settle();
  expect(hasStopped).toBe(false);
  await finish();
  await stopped;
  await clock.advance(10_000);
  expect(started()).toBe(1);
  expect(clock.pending).toBe(0);
});

test('a job that is stopped before its first run never runs', async () => {
  const { clock, repeated, started } = open();
  await repeated.stop();
  await clock.advance(10_000);
  expect(started()).toBe(0);
});

function open() {
  const clock = createFakeClock();
  const failures: unknown[] = [];
  let count = 0;
  let end = (_error?: Error) => {};
  const repeated = runPeriodically({
    intervalMs: 1_000,
    work: () =>
      new Promise<void>((resolve, reject) => {
        count += 1;
        end = (error) => (error ? reject(error) : resolve());
      }),
    onError: (error) => failures.push(error),
    schedule: clock.schedule,
  });
  const finish = async (error?: Error) => {
    end(error);
    await settle();
  };
  return { clock, repeated, failures, started: () => count, finish };
}
