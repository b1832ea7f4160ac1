import { expect, test } from 'vitest';
import { createTurns } from '../../src/lib/turns.ts';

/** A loop that is turned by hand, and a clock that stands still unless it is moved. */
function openTurns() {
  const loop = { time: 0, next: [] as (() => void)[], done: [] as string[] };
  const turns = createTurns({
    now: () => loop.time,
    defer: (callback) => loop.next.push(callback),
    mostMs: 20,
  });
  return {
    loop,
    async work(name: string, ms: number) {
      await turns.take();
      loop.time += ms;
      loop.done.push(name);
    },
    async turn() {
      for (const callback of loop.next.splice(0)) callback();
      await settled();
    },
  };
}

test('short pieces share a turn of the loop', async () => {
  const { loop, work } = openTurns();
  for (const name of ['a', 'b', 'c']) await work(name, 5);
  expect(loop.done).toEqual(['a', 'b', 'c']);
});

test('after a long piece the others have a turn each, in their order', async () => {
  const { loop, work, turn } = openTurns();
  await work('a', 100);
  for (const name of ['b', 'c']) void work(name, 100);
  await settled();
  expect(loop.done).toEqual(['a']);
  await turn();
  expect(loop.done).toEqual(['a', 'b']);
  // It came later: nobody is overtaken.
  void work('d', 1);
  await turn();
  expect(loop.done).toEqual(['a', 'b', 'c']);
  await turn();
  expect(loop.done).toEqual(['a', 'b', 'c', 'd']);
});

test('a turn that has come brings its time with it', async () => {
  const { loop, work, turn } = openTurns();
  await work('a', 100);
  await turn();
  await work('b', 100);
  expect(loop.done).toEqual(['a', 'b']);
  await turn();
  await turn();
  expect(loop.next).toEqual([]);
});

/** Long enough for every promise that is fulfilled. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
