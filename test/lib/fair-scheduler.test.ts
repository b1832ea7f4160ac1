import { expect, test } from 'vitest';
import { createFairScheduler } from '../../src/lib/fair-scheduler.ts';

/** An event loop whose iterations the test runs, and a clock that only the test moves. */
function openScheduler() {
  const loop = { time: 0, next: [] as (() => void)[], done: [] as string[] };
  const turns = createFairScheduler({
    now: () => loop.time,
    defer: (callback) => loop.next.push(callback),
    most: { aloneMs: 20, sharedMs: 5, sharedForMs: 1_000 },
  });
  return {
    loop,
    turns,
    async work(name: string, ms: number, { owner = 'one', isNew = false } = {}) {
      await turns.take(owner, isNew);
      loop.time += ms;
      loop.done.push(name);
    },
    async turn() {
      for (const callback of loop.next.splice(0)) {
        callback();
        await settled();
      }
    },
  };
}

test('short tasks share an iteration of the event loop', async () => {
  const { loop, work } = openScheduler();
  for (const name of ['a', 'b', 'c']) await work(name, 5);
  expect(loop.done).toEqual(['a', 'b', 'c']);
});

test('after a long task the others get one iteration each, in order', async () => {
  const { loop, work, turn } = openScheduler();
  await work('a', 100);
  for (const name of ['b', 'c']) void work(name, 100);
  await turn();
  expect(loop.done).toEqual(['a']);
  await turn();
  expect(loop.done).toEqual(['a', 'b']);
  // It was scheduled later, so it does not overtake the others.
  void work('d', 1);
  await turn();
  expect(loop.done).toEqual(['a', 'b', 'c']);
  await turn();
  expect(loop.done).toEqual(['a', 'b', 'c', 'd']);
});

test('short tasks that waited share an iteration too', async () => {
  const { loop, work, turn } = openScheduler();
  await work('a', 100);
  for (const name of ['b', 'c', 'd', 'e']) void work(name, 8);
  await turn();
  await turn();
  expect(loop.done).toEqual(['a', 'b', 'c', 'd']);
  await turn();
  expect(loop.done).toEqual(['a', 'b', 'c', 'd', 'e']);
});

test('the first owner counts as alone', async () => {
  const { loop, work } = openScheduler();
  await work('a', 10);
  void work('b', 1);
  await settled();
  expect(loop.done).toEqual(['a', 'b']);
});

test('at most sixty-four tasks run in an iteration, even if they take no time', async () => {
  const { loop, work, turn } = openScheduler();
  await work('a', 100);
  for (let piece = 0; piece < 100; piece++) void work(`${piece}`, 0);
  await turn();
  await turn();
  expect(loop.done).toHaveLength(1 + 64);
  await turn();
  expect(loop.done).toHaveLength(1 + 100);
});

test('owners are served in rotation, whatever the number of their waiting tasks', async () => {
  const { loop, work, turn } = openScheduler();
  await work('a', 100);
  for (const name of ['b', 'c', 'd']) void work(name, 100);
  void work('theirs', 100, { owner: 'two' });
  for (let turns = 0; turns < 4; turns++) await turn();
  expect(loop.done).toEqual(['a', 'b', 'theirs', 'c']);
});

test('an owner continues while its time lasts, and then waits like others', async () => {
  const { loop, work, turn } = openScheduler();
  await work('a', 100);
  void work('first', 1, { owner: 'two' })
    .then(() => work('at once', 100, { owner: 'two' }))
    .then(() => work('later', 1, { owner: 'two' }));
  for (const name of ['b', 'c']) void work(name, 100);
  await turn();
  await turn();
  expect(loop.done).toEqual(['a', 'first', 'at once']);
  await turn();
  await turn();
  expect(loop.done).toEqual(['a', 'first', 'at once', 'b', 'later', 'c']);
});

test('started requests of an owner are served before its new ones', async () => {
  const { loop, work, turn } = openScheduler();
  await work('a', 100);
  for (const name of ['new 1', 'new 2']) void work(name, 100, { isNew: true });
  void work('under way', 100);
  void work('theirs, new', 100, { owner: 'two', isNew: true });
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(loop.done).toEqual(['a', 'under way', 'theirs, new', 'new 1', 'new 2']);
});

test('the time of an iteration begins when it is served, and nothing is scheduled while no task waits', async () => {
  const { loop, work, turn } = openScheduler();
  await work('a', 100);
  await turn();
  await work('b', 100);
  expect(loop.done).toEqual(['a', 'b']);
  await turn();
  await turn();
  expect(loop.next).toEqual([]);
});

test('an iteration is shorter with several owners, until the others have been gone for a while', async () => {
  const { loop, work, turn } = openScheduler();
  await work('a', 1);
  await work('theirs', 5, { owner: 'two' });
  void work('b', 1);
  await settled();
  expect(loop.done).toEqual(['a', 'theirs']);
  await turn();
  await turn();
  expect(loop.done).toEqual(['a', 'theirs', 'b']);
  await turn();
  loop.time += 1_000;
  for (const name of ['c', 'd']) await work(name, 10);
  expect(loop.done).toEqual(['a', 'theirs', 'b', 'c', 'd']);
});

/** Long enough for every fulfilled promise to settle. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test('waiting new tasks are counted by owner, without continuing ones', async () => {
  const { turns, work, turn } = openScheduler();
  await work('long', 100);
  void work('goes on', 1);
  expect(turns.countNew('one')).toBe(0);
  const begun = work('begins', 1, { isNew: true });
  expect([turns.countNew('one'), turns.countNew('another')]).toEqual([1, 0]);
  for (let n = 0; n < 4; n++) await turn();
  await begun;
  expect(turns.countNew('one')).toBe(0);
});
