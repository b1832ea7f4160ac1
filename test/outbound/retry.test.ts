import { describe, expect, test } from 'vitest';
import { CrossbookError, LocalRefusal } from '../../src/domain/errors.ts';
import type { ProviderResponse } from '../../src/domain/remote.ts';
import { cloneError, rateLimited } from '../../src/outbound/failures.ts';
import { type RetryOptions, withRetries } from '../../src/outbound/send.ts';
import { createFakeClock } from '../support/clock.ts';

const RESET = new CrossbookError('REMOTE_PROVIDER_UNAVAILABLE', 'broke off', {
  cause: Object.assign(new Error(), { code: 'ECONNRESET' }),
});
const HANG = new CrossbookError('REMOTE_PROVIDER_TIMEOUT', 'no answer');
const NO_PERMIT = rateLimited(5);

describe('a retry', () => {
  test.each([420, 423, 429, 477, 500, 502, 503, 504, 521, 523, 524])(
    'follows a %d',
    async (status) => {
      const { answer, tries } = await run([{ status }, { status: 200 }]);
      expect([answer, tries]).toEqual([expect.objectContaining({ status: 200 }), 2]);
    },
  );

  test.each([200, 207, 400, 401, 403, 404, 409, 414, 431, 501])(
    'does not follow a %d',
    async (status) => {
      const { answer, tries } = await run([{ status }, { status: 200 }]);
      expect([answer, tries]).toEqual([expect.objectContaining({ status }), 1]);
    },
  );

  test('follows a connection reset, but not a hang, which took the time already', async () => {
    expect(await run([RESET, { status: 200 }])).toMatchObject({
      answer: { status: 200 },
      tries: 2,
    });
    expect(await run([HANG, { status: 200 }])).toMatchObject({ error: HANG, tries: 1 });
  });

  test('follows a transient failure that says when to try again', async () => {
    const restarting = new CrossbookError('REMOTE_PROVIDER_UNAVAILABLE', 'restarting', {
      retryAfterMs: 5,
    });
    expect(await run([restarting, { status: 200 }])).toMatchObject({
      answer: { status: 200 },
      tries: 2,
    });
  });

  test('does not follow a refusal of our own, nor the copy of one that several calls share', async () => {
    const refused = new LocalRefusal('REMOTE_PROVIDER_UNAVAILABLE', 'not called', {
      retryAfterMs: 5,
    });
    for (const error of [refused, cloneError(refused)])
      expect(await run([error as CrossbookError, { status: 200 }])).toMatchObject({
        error: { code: 'REMOTE_PROVIDER_UNAVAILABLE', retryAfterMs: 5 },
        tries: 1,
      });
  });

  test('does not follow a call that is not idempotent', async () => {
    expect(await run([{ status: 503 }], { retry: 'never' })).toMatchObject({
      answer: { status: 503 },
      tries: 1,
    });
    expect(await run([RESET], { retry: 'never' })).toMatchObject({ error: RESET, tries: 1 });
  });

  test('follows a throttled call only where it certainly was not carried out', async () => {
    const refused = new CrossbookError('REMOTE_PROVIDER_UNAVAILABLE', 'refused', {
      cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
    });
    for (const failure of [{ status: 429 }, { status: 423 }, refused])
      expect((await run([failure, { status: 200 }], { retry: 'throttled' })).tries).toBe(2);
    for (const failure of [{ status: 500 }, { status: 503 }, { status: 504 }, RESET, HANG])
      expect((await run([failure, { status: 200 }], { retry: 'throttled' })).tries).toBe(1);
  });

  test('is made a few times, and the last response is returned', async () => {
    const { answer, tries } = await run(
      [503, 503, 503, 502, 500, 200].map((status) => ({ status })),
    );
    expect([answer?.status, tries]).toEqual([500, 5]);
  });

  test('leaves the previous response when it exceeds the deadline', async () => {
    expect(await run([{ status: 502 }, HANG])).toMatchObject({ answer: { status: 502 }, tries: 2 });
    expect(await run([RESET, HANG])).toMatchObject({ error: RESET, tries: 2 });
  });

  test('waits a random part of a time that doubles each time', async () => {
    const { waits } = await run(
      [500, 500, 500, 500, 500].map((status) => ({ status })),
      { random: () => 1 },
    );
    expect(waits).toEqual([200, 400, 800, 1_600]);
    expect((await run([{ status: 500 }, { status: 200 }], { random: () => 0.25 })).waits).toEqual([
      50,
    ]);
  });

  test.each([429, 503])('waits as long as Retry-After of a %i says', async (status) => {
    const asked = { status, headers: { 'retry-after': '3' } };
    expect((await run([asked, { status: 200 }])).waits).toEqual([3_000]);
  });

  test('waits for the rate limiter after a 429', async () => {
    expect(
      (await run([{ status: 429 }, { status: 200 }], { pausedMs: () => 1_234 })).waits,
    ).toEqual([1_234]);
  });

  test('waits longer for a locked account', async () => {
    expect((await run([{ status: 423 }, { status: 200 }])).waits).toEqual([2_000]);
  });

  test('is not made if it would wait past the deadline: the response is returned immediately', async () => {
    const asked = { status: 503, headers: { 'retry-after': '60' } };
    const { answer, waits } = await run([asked, { status: 200 }]);
    expect([answer?.status, waits]).toEqual([503, []]);
  });

  test('leaves the previous response when it gets no permit', async () => {
    expect((await run([{ status: 503 }, NO_PERMIT])).answer).toMatchObject({ status: 503 });
    expect((await run([RESET, NO_PERMIT])).error).toBe(RESET);
    expect(await run([NO_PERMIT, { status: 200 }])).toMatchObject({ error: NO_PERMIT, tries: 1 });
  });
});

async function run(
  script: readonly (Partial<ProviderResponse> | Error)[],
  options: Partial<RetryOptions> = {},
) {
  const clock = createFakeClock();
  const triedAt: number[] = [];
  const result: { answer?: ProviderResponse; error?: unknown } = {};
  const done = withRetries(
    {
      clock,
      random: () => 0,
      deadline: clock.now() + 10_000,
      retry: 'safe',
      pausedMs: () => 0,
      ...options,
    },
    async () => {
      const next = script[triedAt.length];
      triedAt.push(clock.now());
      if (next instanceof Error || next === undefined) throw next;
      return { status: 200, headers: {}, body: '', ...next };
    },
  ).then(
    (answer) => Object.assign(result, { answer }),
    (error: unknown) => Object.assign(result, { error }),
  );
  await clock.advance(20_000);
  await done;
  const waits = triedAt.slice(1).map((at, index) => at - (triedAt[index] ?? 0));
  return { ...result, tries: triedAt.length, waits };
}
