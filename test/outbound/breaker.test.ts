import { describe, expect, test } from 'vitest';
import { createBreaker } from '../../src/outbound/pace/breaker.ts';
import { createFakeClock } from '../support/clock.ts';

describe('a breaker', () => {
  test('opens after so many failures in a row, and says for how long', async () => {
    const { breaker, clock } = open();
    fail(breaker, 2);
    breaker.check();
    fail(breaker, 1);
    await clock.advance(4_000);
    expect(() => breaker.check()).toThrow(
      expect.objectContaining({ code: 'REMOTE_PROVIDER_UNAVAILABLE', retryAfterMs: 6_000 }),
    );
  });

  test('forgets failures that are not in a row', () => {
    const { breaker } = open();
    fail(breaker, 2);
    breaker.begin();
    breaker.end(true);
    fail(breaker, 2);
    expect(() => breaker.check()).not.toThrow();
  });

  test('lets one call try when its time is over, and the others wait for it', async () => {
    const { breaker, clock } = open();
    fail(breaker, 3);
    await clock.advance(10_000);
    breaker.begin();
    expect(() => breaker.begin()).toThrow(expect.objectContaining({ code: 'REMOTE_PROVIDER_UNAVAILABLE' }));
    breaker.end(true);
    expect(() => breaker.begin()).not.toThrow();
    expect(breaker.isClosed()).toBe(true);
  });

  test('stays open when that call fails as well', async () => {
    const { breaker, clock } = open();
    fail(breaker, 3);
    await clock.advance(10_000);
    fail(breaker, 1);
    expect(() => breaker.check()).toThrow(expect.objectContaining({ retryAfterMs: 10_000 }));
  });

  test('knows nothing of a host that the connection has left', () => {
    const { breaker } = open();
    fail(breaker, 3);
    breaker.reset();
    expect(() => breaker.begin()).not.toThrow();
  });
});

function open() {
  const clock = createFakeClock();
  return { clock, breaker: createBreaker({ clock, maxFailures: 3, openMs: 10_000 }) };
}

function fail(breaker: ReturnType<typeof createBreaker>, times: number): void {
  for (let time = 0; time < times; time++) {
    breaker.begin();
    breaker.end(false);
  }
}
