import { expect, test } from 'vitest';
import {
  createMemory,
  defaultMaxHeldBytes,
  type Hold,
  MEMORY_KINDS,
  type MemoryOwner,
  memoryLimitReached,
} from '../../src/admission/memory.ts';
import { fc } from '../support/fast-check.ts';

test('a hold is counted until it is released, and once', () => {
  const memory = createMemory({ maxBytes: 1_000 });
  const hold = memory.open({ application: 'a' }, 'request_body');
  expect([hold.grow(300), hold.grow(100)]).toEqual([true, true]);
  expect(memory.counts()).toMatchObject({
    held: 400,
    kinds: { request_body: { held: 400, refused: 0 } },
  });
  hold.release();
  hold.release();
  expect(memory.counts()).toMatchObject({
    held: 0,
    kinds: { request_body: { held: 0, refused: 0 } },
  });
});

test('a released hold cannot grow', () => {
  const memory = createMemory({ maxBytes: 1_000 });
  const hold = memory.open({}, 'request_body');
  hold.release();
  expect(hold.grow(1)).toBe(false);
  expect(memory.counts().held).toBe(0);
});

test.each([
  [{}, 250],
  [{ application: 'a' }, 750],
  [{ application: 'a', connection: 'c' }, 500],
])('one owner gets its share and no more, which leaves memory for another: %o', (owner, share) => {
  const memory = createMemory({ maxBytes: 1_000 });
  const all = memory.open(owner, 'fetched_data');
  expect([all.grow(share), all.grow(1)]).toEqual([true, false]);
  expect(memory.open(owner, 'request_body').grow(1)).toBe(false);
  expect(memory.counts().kinds.fetched_data.refused).toBe(1);
  const other = memory.open({ application: 'b', connection: 'd' }, 'request_body');
  expect(other.grow(100)).toBe(true);
  other.release();
  all.release();
  expect(memory.open(owner, 'fetched_data').grow(share)).toBe(true);
});

test('however much others hold, a newcomer finds some', () => {
  const memory = createMemory({ maxBytes: 1_000_000 });
  for (const application of ['a', 'b', 'c', 'd']) {
    const hold = memory.open({ application }, 'fetched_data');
    while (hold.grow(1_000));
  }
  expect(memory.open({ application: 'newcomer' }, 'fetched_data').grow(1_000)).toBe(true);
});

test('any sequence of holds stays within the limit and the shares, never below zero, and ends at zero', () => {
  const owner = fc.oneof(
    fc.constant({}),
    fc.record({ application: fc.constantFrom('a', 'b') }),
    fc.record({
      application: fc.constantFrom('a', 'b'),
      connection: fc.constantFrom('x', 'y', 'z'),
    }),
  );
  const step = fc.oneof(
    fc.record({ owner, kind: fc.constantFrom(...MEMORY_KINDS), bytes: fc.nat(700) }),
    fc.record({ grow: fc.nat(20), bytes: fc.nat(400) }),
    fc.record({ shrink: fc.nat(20), bytes: fc.nat(400) }),
    fc.record({ release: fc.nat(20) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const memory = createMemory({ maxBytes: 1_000 });
      const holds: { readonly hold: Hold; readonly owner: MemoryOwner }[] = [];
      for (const one of steps) {
        if ('owner' in one) {
          const hold = memory.open(one.owner, one.kind);
          if (hold.grow(one.bytes)) holds.push({ hold, owner: one.owner });
        } else if ('grow' in one) holds[one.grow]?.hold.grow(one.bytes);
        else if ('shrink' in one) holds[one.shrink]?.hold.shrink(one.bytes);
        else {
          // Twice, because a second release must change nothing.
          holds[one.release]?.hold.release();
          holds[one.release]?.hold.release();
          holds.splice(one.release, 1);
        }
        const sum = (of: typeof holds) => of.reduce((total, { hold }) => total + hold.bytes, 0);
        const { kinds, held } = memory.counts();
        expect(held).toBe(sum(holds));
        expect(held).toBeLessThanOrEqual(1_000);
        expect(Object.values(kinds).reduce((all, kind) => all + kind.held, 0)).toBe(held);
        for (const kind of Object.values(kinds)) expect(kind.held).toBeGreaterThanOrEqual(0);
        const of = (wanted: MemoryOwner) =>
          sum(
            holds.filter(
              ({ owner }) =>
                owner.application === wanted.application &&
                (wanted.connection === undefined || owner.connection === wanted.connection),
            ),
          );
        for (const application of ['a', 'b']) {
          expect(of({ application })).toBeLessThanOrEqual(750);
          for (const connection of ['x', 'y', 'z'])
            expect(of({ application, connection })).toBeLessThanOrEqual(500);
        }
        expect(of({})).toBeLessThanOrEqual(250);
      }
      for (const { hold } of holds) hold.release();
      expect(memory.counts().held).toBe(0);
    }),
  );
});

test('the default follows the heap and the container, whichever is smaller', () => {
  const MB = 1_048_576;
  expect(defaultMaxHeldBytes({ heapBytes: 384 * MB, systemBytes: 16_384 * MB })).toBe(96 * MB);
  expect(defaultMaxHeldBytes({ heapBytes: 4_096 * MB, systemBytes: 512 * MB })).toBe(128 * MB);
  expect(defaultMaxHeldBytes()).toBeGreaterThan(16 * MB);
});

test('a refusal says when to try again', () => {
  expect(memoryLimitReached()).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterMs: 1_000 });
});
