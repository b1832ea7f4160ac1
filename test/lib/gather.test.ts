import { expect, test } from 'vitest';
import { createGatherer } from '../../src/lib/gather.ts';
import { createFakeClock, settle } from '../support/clock.ts';

test('goes at once while there is room, and what comes meanwhile goes together, in its order', async () => {
  const { add, flights, land } = open();
  const answers = ['a', 'b', 'c', 'd', 'e'].map((name) => add(name));
  expect(flights()).toEqual([['a'], ['b']]);
  await land(1);
  expect(flights()).toEqual([['a'], ['b'], ['c', 'd', 'e']]);
  await land(0);
  await land(2);
  expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'c!', 'd!', 'e!']);
});

test('two of one key are never under way at once, and keep their order', async () => {
  const { add, flights, land } = open();
  for (const name of ['a1', 'b1', 'a2', 'a3', 'c1']) void add(name);
  await land(1);
  expect(flights()).toEqual([['a1'], ['b1'], ['c1']]);
  await land(0);
  expect(flights()[3]).toEqual(['a2']);
  await land(3);
  expect(flights()[4]).toEqual(['a3']);
});

test('no more go together than fifty, or than fit; what is too large goes alone', async () => {
  const { add, flights, land } = open();
  for (let index = 0; index < 62; index += 1) void add(String.fromCodePoint(200 + index));
  await land(0);
  await land(1);
  expect(flights().map(({ length }) => length)).toEqual([1, 1, 50, 10]);
  const large = ['x', 'y', 'z'].map((letter) => letter.padEnd(150_000, '-'));
  for (const name of [...large, 'l'.padEnd(900_000, '-')]) void add(name);
  for (let flight = 2; flight < 8; flight += 1) await land(flight);
  const rest = flights().slice(4);
  expect(rest.map(([first, ...others]) => [first?.[0], others.length])).toEqual([
    ['x', 0],
    ['y', 0],
    ['z', 0],
    ['l', 0],
  ]);
});

test('what fails fails for all of a flight, and for no other', async () => {
  const { add, land } = open();
  const answers = Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => add(name)));
  await land(1);
  await land(2, new Error('not today'));
  await land(0);
  const reason = new Error('not today');
  expect(await answers).toEqual([
    { status: 'fulfilled', value: 'a!' },
    { status: 'fulfilled', value: 'b!' },
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ]);
});

test('a failure that would be everybody’s is that of those as well who wait for the same key, and of nobody else', async () => {
  const { add, land, flights } = open();
  const answers = Promise.allSettled(['a1', 'b', 'a2', 'c', 'a3'].map((name) => add(name)));
  await land(0, new Error('away'));
  await land(1);
  await land(2);
  const refused = { status: 'rejected', reason: new Error('away') };
  const [a1, b, a2, c, a3] = await answers;
  expect([a1, a2, a3]).toEqual([refused, refused, refused]);
  expect([b, c]).toEqual([
    { status: 'fulfilled', value: 'b!' },
    { status: 'fulfilled', value: 'c!' },
  ]);
  expect(flights()).toEqual([['a1'], ['b'], ['c']]);
});

test('lanes do not wait for each other', async () => {
  const { add, flights } = open();
  for (const name of ['a', 'b', 'c', '/d', '/e', '/f']) void add(name);
  expect(flights()).toEqual([['a'], ['b'], ['/d'], ['/e']]);
});

test('what is held up lets others go after a moment, but none of its own key', async () => {
  const { add, flights, land, clock } = open();
  for (const name of ['a1', 'b1', 'a2', 'c1']) void add(name);
  expect(flights()).toEqual([['a1'], ['b1']]);
  await clock.advance(50);
  expect(flights()).toEqual([['a1'], ['b1'], ['c1']]);
  for (const flight of [2, 0, 1]) await land(flight);
  expect(flights()[3]).toEqual(['a2']);
  await land(3);
  expect(clock.pending).toBe(0);
});

/** Names are told apart by their first letter; those that begin with a slash have a lane of their own. */
function open() {
  const clock = createFakeClock();
  const begun: { readonly names: readonly string[]; land(error?: Error): void }[] = [];
  const add = createGatherer<string, string>({
    laneOf: (name) => (name.startsWith('/') ? 'other' : 'first'),
    keyOf: (name) => name.replace(/\d|-+$/, ''),
    sizeOf: ({ length }) => length,
    work: (names) =>
      new Promise((resolve, reject) => {
        const land = (error?: Error) => (error ? reject(error) : resolve(names.map((name) => `${name}!`)));
        begun.push({ names, land });
      }),
    isShared: (error) => (error as Error).message === 'away',
    schedule: clock.schedule,
  });
  const land = async (flight: number, error?: Error) => {
    begun[flight]?.land(error);
    await settle();
  };
  return { add, clock, land, flights: () => begun.map(({ names }) => names) };
}
