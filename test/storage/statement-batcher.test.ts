import { expect, test } from 'vitest';
import { toUnavailable } from '../../src/storage/engine/failures.ts';
import { createStatementBatcher } from '../../src/storage/statement-batcher.ts';
import { createFakeClock, settle } from '../support/clock.ts';

test('items are sent immediately up to the limit of statements; later ones share the next statement, in order', async () => {
  const { add, batches, end } = open();
  const answers = ['a', 'b', 'c', 'd', 'e'].map((name) => add(name));
  expect(batches()).toEqual([['a'], ['b']]);
  await end(1);
  expect(batches()).toEqual([['a'], ['b'], ['c', 'd', 'e']]);
  await end(0);
  await end(2);
  expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'c!', 'd!', 'e!']);
});

test('two items of one key are never sent concurrently, and keep their order', async () => {
  const { add, batches, end } = open();
  for (const name of ['a1', 'b1', 'a2', 'a3', 'c1']) void add(name);
  await end(1);
  expect(batches()).toEqual([['a1'], ['b1'], ['c1']]);
  await end(0);
  expect(batches()[3]).toEqual(['a2']);
  await end(3);
  expect(batches()[4]).toEqual(['a3']);
});

test('a statement has at most fifty items and the maximum size; an item that is too large is sent alone', async () => {
  const { add, batches, end } = open();
  for (let index = 0; index < 62; index += 1) void add(String.fromCodePoint(200 + index));
  await end(0);
  await end(1);
  expect(batches().map(({ length }) => length)).toEqual([1, 1, 50, 10]);
  const large = ['x', 'y', 'z'].map((letter) => letter.padEnd(150_000, '-'));
  for (const name of [...large, 'l'.padEnd(900_000, '-')]) void add(name);
  for (let batch = 2; batch < 8; batch += 1) await end(batch);
  const rest = batches().slice(4);
  expect(rest.map(([first, ...others]) => [first?.[0], others.length])).toEqual([
    ['x', 0],
    ['y', 0],
    ['z', 0],
    ['l', 0],
  ]);
});

test('a failed statement fails for all items of its batch, and for no others', async () => {
  const { add, end } = open();
  const answers = Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => add(name)));
  await end(1);
  await end(2, new Error('not today'));
  await end(0);
  const reason = new Error('not today');
  expect(await answers).toEqual([
    { status: 'fulfilled', value: 'a!' },
    { status: 'fulfilled', value: 'b!' },
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ]);
});

test('a failure of the database also rejects items that wait for the same key, each with a separate error, and no others', async () => {
  const { add, end, batches } = open();
  const ids = new Set<string>();
  const answers = Promise.allSettled(
    ['a1', 'b', 'a2', 'c', 'a3'].map((name) =>
      add(name).catch((error) => {
        ids.add(error.id);
        throw error;
      }),
    ),
  );
  const away = toUnavailable(undefined);
  await end(0, away);
  await end(1);
  await end(2);
  const refused = {
    status: 'rejected',
    reason: { code: 'SERVICE_UNAVAILABLE', retryAfterMs: 1_000 },
  };
  const [a1, b, a2, c, a3] = await answers;
  expect([a1, a2, a3]).toMatchObject([refused, refused, refused]);
  expect(ids.size).toBe(3);
  expect([b, c]).toEqual([
    { status: 'fulfilled', value: 'b!' },
    { status: 'fulfilled', value: 'c!' },
  ]);
  expect(batches()).toEqual([['a1'], ['b'], ['c']]);
});

test('applications do not wait for each other', async () => {
  const { add, batches } = open();
  for (const name of ['a', 'b', 'c', '/d', '/e', '/f']) void add(name);
  expect(batches()).toEqual([['a'], ['b'], ['/d'], ['/e']]);
});

test('a slow statement lets other keys be sent after a moment, but not its own key', async () => {
  const { add, batches, end, clock } = open();
  for (const name of ['a1', 'b1', 'a2', 'c1']) void add(name);
  expect(batches()).toEqual([['a1'], ['b1']]);
  await clock.advance(50);
  expect(batches()).toEqual([['a1'], ['b1'], ['c1']]);
  for (const batch of [2, 0, 1]) await end(batch);
  expect(batches()[3]).toEqual(['a2']);
  await end(3);
  expect(clock.pending).toBe(0);
});

test('however slow its statements are, an application has at most three at once', async () => {
  const { add, batches, end, clock } = open();
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    void add(name);
    await clock.advance(1_000);
  }
  expect(batches()).toEqual([['a'], ['b'], ['c']]);
  await end(0);
  expect(batches()).toEqual([['a'], ['b'], ['c'], ['d', 'e']]);
});

/** The key of a name is its first letter; a leading slash means another application. */
function open() {
  const clock = createFakeClock();
  const begun: { readonly names: readonly string[]; end(error?: Error): void }[] = [];
  const send = createStatementBatcher<string, string>({
    keyOf: (name) => name.replace(/\d|-+$/, ''),
    sizeOf: ({ length }) => length,
    execute: (_, names) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) =>
          error ? reject(error) : resolve(names.map((name) => `${name}!`));
        begun.push({ names, end });
      }),
    clock,
  });
  const add = (name: string) => send(name.startsWith('/') ? 'other' : 'first', name);
  const end = async (batch: number, error?: Error) => {
    begun[batch]?.end(error);
    await settle();
  };
  return { add, clock, end, batches: () => begun.map(({ names }) => names) };
}
