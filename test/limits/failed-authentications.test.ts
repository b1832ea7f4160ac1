import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { toSubnet } from '../../src/http/incoming-request.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openLimits } from '../../src/limits/limits.ts';
import { settle } from '../support/clock.ts';
import { createFakeLog } from '../support/fake-log.ts';

test('after the maximum of failures, look-ups from that address are slow, and from no other', async () => {
  const { failures, fail } = await open(3);
  await fail('192.0.2.1', 2);
  expect(failures.slowBucketOf('192.0.2.1')).toBeUndefined();
  await fail('192.0.2.1', 1);
  // One of 65,536, however many addresses fail.
  expect(failures.slowBucketOf('192.0.2.1')).toMatch(/^[0-9a-f]{4}$/);
  expect(failures.slowBucketOf('192.0.2.2')).toBeUndefined();
});

test('after a minute look-ups from the address are fast again', async () => {
  const { failures, fail, later } = await open(3);
  await fail('192.0.2.1', 3);
  later(60_001);
  expect(failures.slowBucketOf('192.0.2.1')).toBeUndefined();
});

test('an IPv6 network counts as one address', async () => {
  const { failures, fail } = await open(3);
  for (const host of ['1', '2', '3']) await fail(toSubnet(`2001:db8:1:2::${host}`), 1);
  expect(failures.slowBucketOf(toSubnet('2001:db8:1:2::4'))).toBeDefined();
  expect(failures.slowBucketOf(toSubnet('2001:db8:1:3::4'))).toBeUndefined();
});

async function open(perMinute: number) {
  let now = performance.now();
  const { failures } = await openLimits({
    perApplication: 0,
    perCustomer: 0,
    failedAuthentications: perMinute,
    redis: undefined,
    log: createFakeLog(),
    hash: (text) => createHmac('sha256', 'test').update(text).digest('base64url'),
    clock: { ...systemClock, now: () => now },
  });
  return { failures, fail, later };

  async function fail(address: string, times: number): Promise<void> {
    for (let time = 0; time < times; time += 1) failures.count(address);
    await settle();
  }

  function later(byMs: number): void {
    now += byMs;
  }
}
