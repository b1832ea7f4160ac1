import { expect, test } from 'vitest';
import { HELD_KINDS, type Hold, memoryLimitReached } from '../../src/domain/resources.ts';
import { toSubnet } from '../../src/http/incoming-request.ts';
import { createMemoryLimit, defaultMaxHeldBytes } from '../../src/limits/memory-limit.ts';
import { fc } from '../support/fast-check.ts';

test('a reservation is counted until it is released, and once', () => {
  const held = createMemoryLimit({ maxBytes: 1_000 });
  const hold = held.acquire({ address: '192.0.2.1', application: 'a' }, 'request_body', 300);
  expect(hold?.grow(100)).toBe(true);
  expect(held.counts()).toMatchObject({
    held: 400,
    kinds: { request_body: { held: 400, refused: 0 } },
  });
  hold?.release();
  hold?.release();
  expect(held.counts()).toMatchObject({
    held: 0,
    kinds: { request_body: { held: 0, refused: 0 } },
  });
});

test('a released reservation cannot grow', () => {
  const held = createMemoryLimit({ maxBytes: 1_000 });
  const hold = held.acquire({}, 'queue', 1);
  hold?.release();
  expect(hold?.grow(1)).toBe(false);
  expect(held.counts().held).toBe(0);
});

test.each([
  [{ address: '192.0.2.1' }, 125],
  [{ address: '192.0.2.1', application: 'a' }, 500],
  [{ application: 'a' }, 750],
  [{ connection: 'a' }, 500],
])('one owner gets its share and no more, which leaves memory for another: %o', (owner, share) => {
  const held = createMemoryLimit({ maxBytes: 1_000 });
  const all = held.acquire(owner, 'fetched_data', share);
  expect(held.acquire(owner, 'fetched_data', 1)).toBeUndefined();
  expect(all?.grow(1)).toBe(false);
  const other = { address: '198.51.100.7', application: 'b', connection: 'b' };
  expect(held.acquire(other, 'request_body', 200)).toBeDefined();
  all?.release();
  expect(held.acquire(owner, 'fetched_data', 1)).toBeDefined();
});

test('unauthenticated clients share one account, so that several addresses leave the rest to callers', () => {
  const held = createMemoryLimit({ maxBytes: 1_000 });
  for (const address of ['192.0.2.1', '192.0.2.2'])
    expect(held.acquire({ address }, 'request_body', 125)).toBeDefined();
  expect(held.acquire({ address: '192.0.2.3' }, 'unread_response', 1)).toBeUndefined();
  expect(
    held.acquire({ address: '192.0.2.1', application: 'a' }, 'request_body', 500),
  ).toBeDefined();
  // Cached documents have no owner.
  expect(held.acquire({}, 'document', 250)).toBeDefined();
});

test('an address of an IPv6 network has the share of the network', () => {
  const held = createMemoryLimit({ maxBytes: 1_000 });
  expect(held.acquire({ address: toSubnet('2001:db8::1') }, 'request_body', 125)).toBeDefined();
  expect(held.acquire({ address: toSubnet('2001:db8::2') }, 'request_body', 1)).toBeUndefined();
  expect(held.acquire({ address: toSubnet('2001:db8:0:1::2') }, 'request_body', 1)).toBeDefined();
});

test('any sequence of reservations stays within the limit and the shares, never below zero, and ends at zero', () => {
  const owner = fc.record(
    {
      address: fc.constantFrom(
        '192.0.2.1',
        '198.51.100.7',
        toSubnet('2001:db8::1'),
        toSubnet('2001:db8::2'),
      ),
      application: fc.constantFrom('a', 'b'),
      connection: fc.constantFrom('x', 'y', 'z'),
    },
    { requiredKeys: [] },
  );
  const step = fc.oneof(
    fc.record({ owner, kind: fc.constantFrom(...HELD_KINDS), bytes: fc.nat(700) }),
    fc.record({ grow: fc.nat(20), bytes: fc.nat(400) }),
    fc.record({ shrink: fc.nat(20), bytes: fc.nat(400) }),
    fc.record({ release: fc.nat(20) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const held = createMemoryLimit({ maxBytes: 1_000 });
      const holds: {
        hold: Hold;
        owner: { address?: string; application?: string; connection?: string };
      }[] = [];
      for (const one of steps) {
        if ('owner' in one) {
          const hold = held.acquire(one.owner, one.kind, one.bytes);
          if (hold) holds.push({ hold, owner: one.owner });
        } else if ('grow' in one) holds[one.grow]?.hold.grow(one.bytes);
        else if ('shrink' in one) holds[one.shrink]?.hold.shrink(one.bytes);
        else {
          // Twice, because a second release must change nothing.
          holds[one.release]?.hold.release();
          holds[one.release]?.hold.release();
          holds.splice(one.release, 1);
        }
        const sum = (of: typeof holds) => of.reduce((total, { hold }) => total + hold.bytes, 0);
        const { kinds, held: total } = held.counts();
        expect(total).toBe(sum(holds));
        expect(total).toBeLessThanOrEqual(1_000);
        expect(Object.values(kinds).reduce((all, kind) => all + kind.held, 0)).toBe(total);
        for (const kind of Object.values(kinds)) expect(kind.held).toBeGreaterThanOrEqual(0);
        for (const name of ['x', 'y', 'z']) {
          expect(sum(holds.filter((of) => of.owner.connection === name))).toBeLessThanOrEqual(500);
        }
        for (const name of ['a', 'b']) {
          expect(sum(holds.filter((of) => of.owner.application === name))).toBeLessThanOrEqual(750);
        }
        const strangers = holds.filter(({ owner }) => owner.address && !owner.application);
        expect(sum(strangers)).toBeLessThanOrEqual(250);
        const network = holds.filter((of) => of.owner.address?.startsWith('2001'));
        expect(sum(network.filter((of) => strangers.includes(of)))).toBeLessThanOrEqual(125);
        expect(sum(network.filter((of) => !strangers.includes(of)))).toBeLessThanOrEqual(500);
      }
      for (const { hold } of holds) hold.release();
      expect(held.counts().held).toBe(0);
      expect(held.countOwners()).toBe(0);
    }),
  );
});

test('owners without reservations are removed once there are many', () => {
  const held = createMemoryLimit({ maxBytes: 1_000 });
  const kept = held.acquire({ application: 'kept' }, 'queue', 1);
  for (let n = 0; n < 10_000; n += 1) held.acquire({ application: `${n}` }, 'queue', 1)?.release();
  expect(held.countAccounts()).toBeLessThanOrEqual(1_024);
  expect(held.countOwners()).toBe(1);
  expect(kept?.grow(1)).toBe(true);
});

test('the default follows the heap and the container, whichever is smaller', () => {
  const MB = 1_048_576;
  expect(defaultMaxHeldBytes({ heapBytes: 384 * MB, systemBytes: 16_384 * MB })).toBe(128 * MB);
  expect(defaultMaxHeldBytes({ heapBytes: 4_096 * MB, systemBytes: 512 * MB })).toBe(128 * MB);
  expect(defaultMaxHeldBytes()).toBeGreaterThan(16 * MB);
});

test('a rejection says when to try again', () => {
  expect(memoryLimitReached()).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterMs: 1_000 });
});
