import { describe, expect, test } from 'vitest';
import {
  type Breaker,
  createConnectionBreaker,
} from '../../src/outbound/resilience/circuit-breaker.ts';
import { createFakeClock } from '../support/clock.ts';

describe('a circuit breaker', () => {
  test('opens after the maximum of consecutive failures, and says for how long', async () => {
    const { breaker, clock } = open();
    fail(breaker, 2);
    breaker.check();
    fail(breaker, 1);
    await clock.advance(4_000);
    expect(() => breaker.check()).toThrow(
      expect.objectContaining({ code: 'REMOTE_PROVIDER_UNAVAILABLE', retryAfterMs: 6_000 }),
    );
  });

  test('says which provider failed, how often, and why the last call failed', () => {
    const { breaker } = open();
    for (const cause of ['status 500', 'status 500', 'status 503']) {
      breaker.begin();
      breaker.end('failed', 10, cause);
    }
    expect(() => breaker.check()).toThrow(
      'HubSpot failed 3 times in a row (last: status 503). Calls to it are paused for another 10 s.',
    );
  });

  test('ignores failures that are not consecutive', () => {
    const { breaker } = open();
    fail(breaker, 2);
    breaker.begin();
    breaker.end('answered', 10);
    fail(breaker, 2);
    expect(() => breaker.check()).not.toThrow();
  });

  test('admits one probe after its reset time, and rejects other calls until the probe ends', async () => {
    const { breaker, clock } = open();
    fail(breaker, 3);
    await clock.advance(10_000);
    breaker.begin();
    expect(() => breaker.begin()).toThrow(
      expect.objectContaining({ code: 'REMOTE_PROVIDER_UNAVAILABLE' }),
    );
    breaker.end('answered', 10);
    expect(() => breaker.begin()).not.toThrow();
    expect(breaker.isClosed()).toBe(true);
  });

  test('stays open when the probe fails as well', async () => {
    const { breaker, clock } = open();
    fail(breaker, 3);
    await clock.advance(10_000);
    fail(breaker, 1);
    expect(() => breaker.check()).toThrow(expect.objectContaining({ retryAfterMs: 10_000 }));
  });

  test('forgets the failures of a host that the connection has left', () => {
    const { breaker } = open();
    fail(breaker, 3);
    breaker.reset();
    expect(() => breaker.begin()).not.toThrow();
  });

  test('opens when most calls are slow and many are waiting', () => {
    const { breaker } = open({ waiting: 100 });
    answer(breaker, 10, 3);
    answer(breaker, 6_000, 2);
    breaker.check();
    answer(breaker, 6_000);
    expect(() => breaker.check()).toThrow(
      expect.objectContaining({ code: 'REMOTE_PROVIDER_UNAVAILABLE', retryAfterMs: 10_000 }),
    );
  });

  test('counts time-outs as slow calls', () => {
    const { breaker } = open({ waiting: 100 });
    for (const result of ['failed', 'answered', 'abandoned'] as const) {
      breaker.begin();
      breaker.end(result, 6_000);
    }
    expect(breaker.isClosed()).toBe(false);
  });

  test('stays closed when few calls wait for a slow provider, and when most calls are fast', () => {
    const few = open({ waiting: 99 }).breaker;
    answer(few, 9_000, 50);
    expect(few.isClosed()).toBe(true);
    const mixed = open({ waiting: 100 }).breaker;
    answer(mixed, 10, 10);
    answer(mixed, 6_000, 9);
    expect(mixed.isClosed()).toBe(true);
  });

  test('ignores old slow calls', async () => {
    const { breaker, clock } = open({ waiting: 100 });
    answer(breaker, 6_000, 2);
    await clock.advance(30_000);
    answer(breaker, 6_000, 2);
    expect(breaker.isClosed()).toBe(true);
  });

  test('opened by slow calls opens again after a slow probe while many calls wait, and closes otherwise', async () => {
    for (const [asking, isClosed] of [
      [100, false],
      [3, true],
    ] as const) {
      const { breaker, clock, crowd } = open({ waiting: 100 });
      answer(breaker, 6_000, 3);
      crowd.waiting = 0;
      for (let n = 0; n < asking; n++) expect(() => breaker.check()).toThrow();
      await clock.advance(10_000);
      answer(breaker, 6_000);
      expect(breaker.isClosed()).toBe(isClosed);
      await clock.advance(10_000);
      answer(breaker, 10);
      expect(breaker.isClosed()).toBe(true);
    }
  });

  test('ignores a probe whose client disconnects, and probes again', async () => {
    const { breaker, clock } = open();
    fail(breaker, 3);
    await clock.advance(10_000);
    breaker.begin();
    breaker.end('abandoned', 10);
    expect(breaker.isClosed()).toBe(false);
    answer(breaker, 10);
    expect(breaker.isClosed()).toBe(true);
  });
});

function open({ waiting = 0 } = {}) {
  const clock = createFakeClock();
  const crowd = { waiting };
  const isCrowded = (refused: number) => crowd.waiting + refused >= 100;
  const breaker = createConnectionBreaker({
    provider: 'hubspot',
    clock,
    maxFailures: 3,
    openMs: 10_000,
    slowMs: 5_000,
    isCrowded,
  });
  return { clock, breaker, crowd };
}

/** Calls that are answered, after so long. */
function answer(breaker: Breaker, tookMs: number, times = 1): void {
  for (let time = 0; time < times; time++) {
    breaker.begin();
    breaker.end('answered', tookMs);
  }
}

function fail(breaker: Breaker, times: number): void {
  for (let time = 0; time < times; time++) {
    breaker.begin();
    breaker.end('failed', 10);
  }
}
