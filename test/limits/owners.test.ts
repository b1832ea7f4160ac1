import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../src/domain/caller.ts';
import type { CrossbookError } from '../../src/domain/errors.ts';
import { type Limits, openLimits } from '../../src/limits/limits.ts';
import { createFakeClock } from '../support/clock.ts';
import { createFakeLog } from '../support/fake-log.ts';
import { freshPrefix, HANGING_MS, HAS_REDIS, REDIS_URL } from '../support/redis.ts';

const STORES = HAS_REDIS ? (['this process', 'Redis'] as const) : (['this process'] as const);

describe.each(STORES)('rate limits counted in %s', (store) => {
  let limits: Limits;
  beforeEach(async () => {
    const shared = { url: REDIS_URL, prefix: freshPrefix(), commandTimeoutMs: HANGING_MS };
    limits = await openLimits({
      perApplication: 10,
      perCustomer: 4,
      failedAuthentications: 0,
      redis: store === 'Redis' ? shared : undefined,
      log: createFakeLog(),
      clock: createFakeClock(),
      hash: (text) => `hash of ${text}`,
    });
  });
  afterEach(() => limits.close());

  /** The remaining units that the response tells, or who is over the limit. */
  async function ask(caller: Caller, cost = 0): Promise<string> {
    const requestLog = { rateLimit: undefined };
    const headers: Record<string, string> = {};
    const consumed = async () => {
      await limits.consumeRateLimit(requestLog, caller);
      await limits.charge(requestLog, caller, cost);
    };
    const owner = await consumed().then(
      () => undefined,
      (error: CrossbookError) =>
        /^This (\w+) makes more than \d+ requests/.exec(error.message)?.[1],
    );
    limits.addRateLimitHeaders(requestLog, headers);
    const { 'ratelimit-limit': limit, 'ratelimit-remaining': remaining } = headers;
    return `${owner ?? 'granted'}: ${remaining} of ${limit}`;
  }

  test('hold for a customer, whatever the number of its tokens', async () => {
    const answers = [];
    for (let n = 0; n < 6; n += 1) answers.push(await ask(token('demo', `token ${n}`)));
    expect(answers).toEqual([
      'granted: 3 of 4',
      'granted: 2 of 4',
      'granted: 1 of 4',
      'granted: 0 of 4',
      'customer: 0 of 4',
      'customer: 0 of 4',
    ]);
    expect(await ask(token('another'))).toBe('granted: 3 of 4');
  });

  test('hold for an application, whatever the number of its keys, tokens and customers', async () => {
    const callers = Array.from({ length: 10 }, (_, n) =>
      n % 2 === 0 ? key(`key ${n}`) : token(`customer ${n}`),
    );
    for (const caller of callers) expect(await ask(caller)).toMatch(/^granted/);
    expect(await ask(key('a new key'))).toBe('application: 0 of 10');
    expect(await ask(token('a new customer'))).toBe('application: 0 of 10');
    expect(await ask({ ...key('key'), application: { id: 'other', name: 'Other' } })).toMatch(
      /^granted/,
    );
  });

  test('are told by the limit with the least left', async () => {
    expect(await ask(token('demo'))).toBe('granted: 3 of 4');
    for (let n = 0; n < 7; n += 1) await ask(key('key'));
    expect(await ask(token('another'))).toBe('granted: 1 of 10');
  });

  test('of an application lose nothing to a customer beyond its own limit', async () => {
    for (let n = 0; n < 100; n += 1) await ask(token('demo', `token ${n}`));
    expect(await ask(key('key'))).toBe('granted: 5 of 10');
  });

  test('are charged by the cost of a request, both alike', async () => {
    expect(await ask(token('demo'), 3_000)).toBe('granted: 1 of 4');
    expect(await ask(key('key'))).toBe('granted: 6 of 10');
    expect(await ask(token('another'), 5_000)).toBe('customer: 0 of 4');
  });
});

function key(credentialId: string): Caller {
  return { application: { id: 'a', name: 'A' }, credentialId };
}

function token(customerId: string, credentialId = 'token'): Caller {
  return { ...key(credentialId), customer: { customerId } };
}
