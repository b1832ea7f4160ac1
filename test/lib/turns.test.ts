import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { Turns } from '../../src/lib/turns.ts';

const nextIteration = promisify(setImmediate);

/** Work in steps of so many milliseconds each, by a clock that nothing else moves. */
function openWorld(hasUrgentWork = () => false) {
  let now = 0;
  const pauses: (() => void)[] = [];
  const clock = {
    now: () => now,
    schedule: (_ms: number, end: () => void) => {
      pauses.push(end);
      return () => {};
    },
  };
  const turns = new Turns(clock, hasUrgentWork);
  const done: string[] = [];
  const work = async (name: string, steps: readonly number[]) => {
    for (const ms of steps) {
      const turn = turns.take();
      if (turn) await turn;
      now += ms;
      done.push(name);
    }
  };
  return { turns, work, done, endPause: () => pauses.shift()?.() };
}

/** What was done in each iteration of the event loop. */
async function runIterations(done: string[], count: number): Promise<readonly string[]> {
  const iterations: string[] = [];
  for (let n = 0; n < count; n += 1) {
    await nextIteration();
    iterations.push(done.splice(0).join(''));
  }
  return iterations;
}

test('all work together has one piece in an iteration of the event loop, in the order of asking', async () => {
  const { work, done } = openWorld();
  const all = ['a', 'b', 'c'].map((name) => work(name, [1, 1]));
  expect(done).toEqual([]);
  expect(await runIterations(done, 7)).toEqual(['a', 'b', 'c', 'a', 'b', 'c', '']);
  await Promise.all(all);
});

test('short steps share a piece', async () => {
  const { work, done } = openWorld();
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => work(name, [0.25]));
  expect(await runIterations(done, 3)).toEqual(['abcd', 'e', '']);
  await Promise.all(all);
});

test('work goes on at once while its piece lasts and nothing else waits', async () => {
  const { work, done } = openWorld();
  const alone = work('a', [0.25, 0.25, 0.25, 0.25, 0.25]);
  expect(await runIterations(done, 3)).toEqual(['aaaa', 'a', '']);
  await alone;
});

test('what asks during a piece comes after what has waited', async () => {
  const { work, done } = openWorld();
  const first = Promise.all([work('a', [0.75, 0.75]), work('b', [0.75, 0.75])]);
  expect(await runIterations(done, 1)).toEqual(['ab']);
  const late = work('c', [0.75]);
  expect(await runIterations(done, 3)).toEqual(['ab', 'c', '']);
  await Promise.all([first, late]);
});

test('while there is urgent work elsewhere, there is a pause before each piece', async () => {
  let hasUrgentWork = true;
  const { work, done, endPause } = openWorld(() => hasUrgentWork);
  const alone = work('a', [1, 1, 1]);
  expect(await runIterations(done, 2)).toEqual(['', '']);
  endPause();
  expect(await runIterations(done, 3)).toEqual(['a', '', '']);
  hasUrgentWork = false;
  endPause();
  expect(await runIterations(done, 2)).toEqual(['a', 'a']);
  await alone;
});
