import { expect, test } from 'vitest';
import { type BatchPolicy, createBatcher } from '../../src/lib/batcher.ts';
import { createFakeClock, settle } from '../support/clock.ts';
import { fc } from '../support/fast-check.ts';

test('without a delay items are sent immediately, and items that arrive while a batch is in flight share the next', async () => {
  const { add, batches, end } = open({ maxConcurrent: 1 });
  for (const name of ['a', 'b', 'c']) add(name);
  expect(batches()).toEqual(['a']);
  await end(0);
  expect(batches()).toEqual(['a', 'bc']);
});

test('items of one tick are sent together', async () => {
  const moments: (() => void)[] = [];
  const { add, batches } = open({ defer: (callback) => moments.push(callback) });
  for (const name of ['a', 'b']) add(name);
  expect([batches(), moments.length]).toEqual([[], 1]);
  moments[0]?.();
  add('c');
  moments[1]?.();
  expect(batches()).toEqual(['ab', 'c']);
});

test('a batch waits for its delay, and an urgent item sends it immediately', async () => {
  const { add, batches, batcher, clock, end } = open({
    pauseMs: (queued) => (queued >= 3 ? 0 : 100),
  });
  for (const name of ['a', 'b']) add(name);
  expect(batches()).toEqual([]);
  add('c');
  expect(batches()).toEqual(['abc']);
  for (const name of ['d', 'e']) add(name);
  batcher.hurry('e');
  expect(batches()).toEqual(['abc', 'ed']);
  for (const index of [0, 1]) await end(index);
  expect([batcher.isIdle(), clock.pending]).toEqual([true, 0]);
});

test('a removed item is never sent, and its delay is cancelled', () => {
  const { add, batches, batcher, clock } = open({ pauseMs: () => 100 });
  for (const name of ['a', 'b', 'c']) add(name);
  expect([batcher.remove('a'), batcher.remove('a')]).toEqual([true, false]);
  expect(batcher.removeWhere((name) => name > 'b')).toEqual(['c']);
  expect([...batcher.removeWhere(() => true), batcher.isIdle(), clock.pending]).toEqual([
    'b',
    true,
    0,
  ]);
  expect(batches()).toEqual([]);
});

test('an overdue batch lets another one start, once', async () => {
  const { add, batches, clock, end } = open({ maxConcurrent: 1, overdueMs: 50 });
  for (const name of ['a', 'b', 'c']) add(name);
  await clock.advance(50);
  expect(batches()).toEqual(['a', 'bc']);
  add('d');
  await end(0);
  expect(batches()).toEqual(['a', 'bc']);
  await end(1);
  expect(batches()).toEqual(['a', 'bc', 'd']);
});

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      key: fc.nat(5),
      size: fc.nat(9),
      group: fc.nat(1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('end' as const), nth: fc.nat(5), fails: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(120) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), nth: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('hurry' as const), nth: fc.nat(20) }) },
);

test('any policy and interleaving keeps the bounds, sends no key twice at a time, and sends each item once', async () => {
  const policy = fc.record({
    maxConcurrent: fc.integer({ min: 1, max: 3 }),
    maxItems: fc.integer({ min: 1, max: 4 }),
    maxSize: fc.integer({ min: 1, max: 15 }),
    isKeyed: fc.boolean(),
    isDeferred: fc.boolean(),
    pauseMs: fc.constantFrom(0, 30),
    overdueMs: fc.option(fc.constant(50), { nil: undefined }),
  });
  await fc.assert(fc.asyncProperty(policy, fc.array(step, { maxLength: 60 }), checkRun), {
    numRuns: 300,
  });
});

interface Item {
  readonly group: string;
  readonly key: number;
  readonly size: number;
}

async function checkRun(random: Policy, steps: readonly Step[]): Promise<void> {
  const clock = createFakeClock();
  const queued = new Set<Item>();
  const inFlight: { readonly items: readonly Item[]; readonly since: number; end(): void }[] = [];
  const added: Item[] = [];
  const left: Item[] = [];
  let lastBatchAt = Number.NEGATIVE_INFINITY;
  const batcher = createBatcher<Item>({
    clock,
    ...random,
    ...(random.isKeyed && { keyOf: ({ key }: Item) => String(key) }),
    defer: random.isDeferred ? (callback) => clock.schedule(0, callback) : undefined,
    pauseMs: () => lastBatchAt + random.pauseMs - clock.now(),
    createSizer:
      () =>
      ({ size }) =>
        size,
    run: (items, group) =>
      new Promise((resolve) => {
        lastBatchAt = clock.now();
        const current = inFlight.filter((batch) => batch.items[0]?.group === group);
        const { maxConcurrent, overdueMs = Infinity } = random;
        const hasOverdue = current.some(({ since }) => clock.now() - since >= overdueMs);
        expect(current.length).toBeLessThan(maxConcurrent + (hasOverdue ? 1 : 0));
        expect(items.length).toBeLessThanOrEqual(random.maxItems);
        const size = items.reduce((sum, item) => sum + item.size, 0);
        expect(items.length === 1 || size <= random.maxSize).toBe(true);
        const keys = [...current.flatMap((batch) => batch.items), ...items].map(({ key }) => key);
        if (random.isKeyed) expect(new Set(keys).size).toBe(keys.length);
        for (const item of items) {
          expect([item.group, queued.delete(item)]).toEqual([group, true]);
          left.push(item);
        }
        const batch = { items, since: clock.now(), end: () => resolve() };
        inFlight.push(batch);
      }),
  });
  const end = async (nth: number) => {
    const [batch] = inFlight.splice(nth % Math.max(1, inFlight.length), 1);
    batch?.end();
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };

  for (const one of steps) {
    if (one.do === 'add') {
      const item = { group: `g${one.group}`, key: one.key, size: one.size };
      queued.add(item);
      added.push(item);
      batcher.add(item, item.group);
    } else if (one.do === 'end') {
      await end(one.nth);
    } else if (one.do === 'wait') {
      await clock.advance(one.ms);
    } else {
      const item = [...queued][one.nth];
      if (item && one.do === 'hurry') batcher.hurry(item, item.group);
      if (item && one.do === 'remove') {
        queued.delete(item);
        added.splice(added.indexOf(item), 1);
        expect(batcher.remove(item, item.group)).toBe(true);
      }
    }
  }
  for (let round = 0; round < 500 && !batcher.isIdle(); round++) {
    await clock.advance(200);
    while (inFlight.length > 0) await end(0);
  }
  expect(batcher.isIdle()).toBe(true);
  expect(new Set(left)).toEqual(new Set(added));
  expect([left.length, clock.pending]).toEqual([added.length, 0]);
}

/** A batch ends when the test calls its `end`. */
function open(policy: Partial<BatchPolicy<string>>) {
  const clock = createFakeClock();
  const begun: { readonly items: readonly string[]; end(): void }[] = [];
  const batcher = createBatcher<string>({
    clock,
    maxConcurrent: 9,
    ...policy,
    run: (items) => new Promise((resolve) => void begun.push({ items, end: resolve })),
  });
  const end = async (nth: number) => {
    begun[nth]?.end();
    await settle();
  };
  return {
    batcher,
    clock,
    end,
    add: (name: string) => batcher.add(name),
    batches: () => begun.map(({ items }) => items.join('')),
  };
}

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;
interface Policy {
  readonly maxConcurrent: number;
  readonly maxItems: number;
  readonly maxSize: number;
  readonly isKeyed: boolean;
  readonly isDeferred: boolean;
  readonly pauseMs: number;
  readonly overdueMs: number | undefined;
}
