import { describe, expect, test } from 'vitest';
import { AbandonedError, CrossbookError } from '../../src/domain/errors.ts';
import { settle } from '../support/clock.ts';
import { createFakeWork, type FakeWork } from '../support/fake-work.ts';
import { openLookupBatcher } from './open-lookup-batcher.ts';

describe('look-ups by email', () => {
  test('are sent immediately and separately while few are running', async () => {
    const { find, calls, answerAll } = openLookupBatcher();
    const found = [find(['a@x.co']), find(['b@x.co'])];
    expect(calls.map(({ emails }) => emails)).toEqual([['a@x.co'], ['b@x.co']]);
    await answerAll();
    expect((await Promise.all(found)).map((map) => [...map.keys()])).toEqual([
      ['a@x.co'],
      ['b@x.co'],
    ]);
  });

  test('share one call within an iteration of the event loop', async () => {
    const turns: (() => void)[] = [];
    const { find, calls, answerAll } = openLookupBatcher({
      defer: (callback) => void turns.push(callback),
    });
    const found = ['a@x.co', 'b@x.co', 'c@x.co'].map((email) => find([email]));
    expect([calls.length, turns.length]).toEqual([0, 1]);
    turns[0]?.();
    expect(calls.map(({ emails }) => emails)).toEqual([['a@x.co', 'b@x.co', 'c@x.co']]);
    await answerAll();
    expect((await Promise.all(found)).map((map) => [...map.keys()])).toEqual([
      ['a@x.co'],
      ['b@x.co'],
      ['c@x.co'],
    ]);
  });

  test('end immediately without a call if their client has disconnected', async () => {
    const turns: (() => void)[] = [];
    const { find, calls, clock } = openLookupBatcher({
      defer: (callback) => void turns.push(callback),
    });
    const work = createFakeWork();
    work.disconnect();
    await expect(find(['a@x.co'], { work })).rejects.toThrow(AbandonedError);
    turns[0]?.();
    await clock.advance(20_000);
    expect(calls).toEqual([]);
  });

  test('abort their call when their only client disconnects', async () => {
    const turns: (() => void)[] = [];
    const { find, calls } = openLookupBatcher({ defer: (callback) => void turns.push(callback) });
    const work = createFakeWork();
    const found = ['a@x.co', 'b@x.co'].map((email) => find([email], { work }));
    turns[0]?.();
    expect(calls.map(({ emails, isAbandoned }) => [emails, isAbandoned()])).toEqual([
      [['a@x.co', 'b@x.co'], false],
    ]);
    work.disconnect();
    expect(calls[0]?.isAbandoned()).toBe(true);
    for (const one of found) await expect(one).rejects.toThrow(AbandonedError);
  });

  test('wait at most twenty milliseconds for received requests that would fill the call', async () => {
    const { find, calls, answerAll, clock } = openLookupBatcher();
    let followers = 99;
    const work = { ...createFakeWork(), countQueued: () => followers };
    const found = ['a@x.co', 'b@x.co'].map((email) => find([email], { work }));
    await clock.advance(6);
    expect(calls).toEqual([]);
    followers = 96;
    found.push(find(['c@x.co'], { work }));
    expect(calls.map(({ emails }) => emails)).toEqual([['a@x.co', 'b@x.co', 'c@x.co']]);
    followers = 99;
    found.push(find(['d@x.co'], { work }));
    await clock.advance(19);
    expect(calls).toHaveLength(1);
    await clock.advance(1);
    expect(calls.map(({ emails }) => emails).at(-1)).toEqual(['d@x.co']);
    const full = Array.from({ length: 100 }, (_, n) => `full${n}@x.co`);
    found.push(...full.map((email) => find([email], { work })));
    expect(calls.at(-1)?.emails).toEqual(full);
    await answerAll();
    await Promise.all(found);
  });

  test('take about a dozen calls for a thousand at once, and each gets its own result', async () => {
    const { find, calls, answerAll } = openLookupBatcher();
    const emails = Array.from({ length: 1_000 }, (_, index) => `person${index}@x.co`);
    const all = Promise.all(emails.map((email) => find([email])));
    await answerAll();
    expect(
      (await all).map((map) => [...map].map(([email, [first]]) => [email, first?.remoteId])),
    ).toEqual(emails.map((email) => [[email, email]]));
    expect(calls.length).toBeLessThanOrEqual(14);
    expect(Math.max(...calls.map((call) => call.emails.length))).toBe(100);
  });

  test('send an email once for many requests', async () => {
    const { find, calls, answerAll } = openLookupBatcher();
    const all = Promise.all(Array.from({ length: 500 }, () => find(['same@x.co'])));
    await answerAll();
    expect((await all).every((map) => map.get('same@x.co')?.length === 1)).toBe(true);
    expect(calls.map((call) => call.emails)).toEqual([...Array(4)].map(() => ['same@x.co']));
  });

  test('join a full call that has their email already', async () => {
    const { find, calls, answerAll } = openLookupBatcher();
    const emails = Array.from({ length: 103 }, (_, index) => `person${index}@x.co`);
    const all = Promise.all([...emails, 'person50@x.co'].map((email) => find([email])));
    await answerAll();
    await all;
    expect(calls.map((call) => call.emails.length)).toEqual([1, 1, 1, 100]);
  });

  test('with another selection do not share a call', async () => {
    const { find, calls, answerAll } = openLookupBatcher();
    const all = ['plain', 'raw'].flatMap((key) =>
      [1, 2, 3, 4, 5].map((index) => find([`${index}@x.co`], { key })),
    );
    await answerAll();
    await Promise.all(all);
    expect(calls.map((call) => call.emails.length)).toEqual([1, 1, 1, 1, 1, 1, 2, 2]);
  });

  test('each get a separate error when their shared call fails', async () => {
    const { find, calls, answerAll } = openLookupBatcher();
    const all = Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => find([`${index}@x.co`])),
    );
    await answerAll(
      new CrossbookError('REMOTE_PROVIDER_RATE_LIMITED', 'busy', { retryAfterMs: 7 }),
    );
    const errors = (await all).map((one) =>
      one.status === 'rejected' ? (one.reason as CrossbookError) : undefined,
    );
    expect(
      errors.every(
        (error) => error?.code === 'REMOTE_PROVIDER_RATE_LIMITED' && error.retryAfterMs === 7,
      ),
    ).toBe(true);
    // Look-ups that were sent alone get the error of their call, which is one object here.
    expect(new Set(errors.slice(3).map((error) => error?.id)).size).toBe(7);
    expect(calls.length).toBe(4);
  });

  test('end at their own deadline, in the queue or during the call', async () => {
    const { find, answerAll, clock, answerOne } = openLookupBatcher();
    const first = [1, 2, 3].map((index) => find([`${index}@x.co`]));
    const merged = find(['short@x.co'], { deadline: clock.now() + 2_000 });
    const mergedLong = find(['long@x.co']);
    await answerOne();
    const inLine = find(['late@x.co'], { deadline: clock.now() + 1_000 });
    const refusals = Promise.all([
      expect(inLine).rejects.toMatchObject({
        code: 'REMOTE_PROVIDER_RATE_LIMITED',
        retryAfterMs: 1_000,
      }),
      expect(merged).rejects.toMatchObject({ code: 'REMOTE_PROVIDER_TIMEOUT' }),
    ]);
    await clock.advance(2_000);
    await refusals;
    await answerAll();
    await Promise.all([...first, mergedLong]);
    expect(clock.pending).toBe(0);
  });

  test.each([
    ['starting', undefined, { code: 'REMOTE_PROVIDER_TIMEOUT', origin: 'crossbook' }],
    [
      'waiting for its work',
      'queued',
      { code: 'REMOTE_PROVIDER_RATE_LIMITED', retryAfterMs: 1_000 },
    ],
    ['on the wire', 'sent', { code: 'REMOTE_PROVIDER_TIMEOUT', origin: 'remote-provider' }],
  ] as const)('name the cause of the delay when they time out: %s', async (_, progress, blamed) => {
    const { find, calls, answerAll, clock, answerOne } = openLookupBatcher();
    const first = [1, 2, 3].map((index) => find([`${index}@x.co`]));
    const short = find(['short@x.co'], { deadline: clock.now() + 2_000 });
    const long = find(['long@x.co']);
    await answerOne();
    if (progress) calls.at(-1)?.onProgress?.(progress);
    const refused = expect(short).rejects.toMatchObject(blamed);
    await clock.advance(2_000);
    await refused;
    await answerAll();
    await Promise.all([...first, long]);
  });

  test('share the latest deadline of their shared call', async () => {
    const { find, calls, answerAll, clock } = openLookupBatcher();
    const late = clock.now() + 9_000;
    const all = [1, 2, 3].map((index) => find([`${index}@x.co`]));
    all.push(
      find(['x@x.co'], { deadline: clock.now() + 5_000 }),
      find(['y@x.co'], { deadline: late }),
    );
    await answerAll();
    await Promise.all(all);
    expect(calls.at(-1)?.deadline).toBe(late);
  });

  test('with different fields share a call, which requests all of them', async () => {
    const { find, calls, answerAll } = openLookupBatcher();
    const first = [1, 2, 3].map((index) => find([`${index}@x.co`]));
    const wants = [new Set(['firstName', 'ownerId'] as const), new Set(['lastName'] as const)];
    const others = wants.map((fields, index) => find([`o${index}@x.co`], { fields }));
    await answerAll();
    await Promise.all([...first, ...others]);
    expect(calls).toHaveLength(4);
    expect(calls.at(-1)?.selection).toEqual({
      rawData: false,
      fields: new Set(['firstName', 'ownerId', 'lastName']),
    });
  });

  test('leave the queue when their client disconnects, and a call that no other request needs is aborted', async () => {
    const { find, calls, answerAll, lookups, clock } = openLookupBatcher();
    const [alone, first, second, inLine] = Array.from({ length: 4 }, createFakeWork);
    const abandoned: Promise<void>[] = [];
    const abandon = (email: string, work?: FakeWork) =>
      abandoned.push(expect(find([email], { work })).rejects.toBeInstanceOf(AbandonedError));
    abandon('alone@x.co', alone);
    const others = [1, 2].map((index) => find([`${index}@x.co`]));
    abandon('a@x.co', first);
    abandon('b@x.co', second);
    alone?.disconnect();
    expect(calls[0]?.isAbandoned()).toBe(true);
    calls[0]?.reject(new AbandonedError());
    await settle();
    expect(calls.at(-1)?.emails).toEqual(['a@x.co', 'b@x.co']);
    abandon('c@x.co', inLine);
    first?.disconnect();
    expect(calls.at(-1)?.isAbandoned()).toBe(false);
    inLine?.disconnect();
    second?.disconnect();
    expect(calls.at(-1)?.isAbandoned()).toBe(true);
    await answerAll();
    await Promise.all([...abandoned, ...others]);
    expect(calls.flatMap(({ emails }) => emails)).not.toContain('c@x.co');
    expect([lookups.isIdle(), clock.pending]).toEqual([true, 0]);
  });

  test('count what their call reads for the first request whose client still waits', async () => {
    const { find, calls, answerAll } = openLookupBatcher();
    const counted: string[] = [];
    const permits = ['one', 'two'].map((name) => ({
      ...createFakeWork(),
      read: () => void counted.push(name),
    }));
    const before = [1, 2, 3].map((index) => find([`${index}@x.co`]));
    const together = permits.map((work, index) => find([`p${index}@x.co`], { work }));
    await answerAll();
    calls.at(-1)?.work.read(1);
    await Promise.allSettled([...before, ...together]);
    expect(counted).toEqual(['one']);
  });

  test('are spaced out when the budget is short, and are batched meanwhile', async () => {
    const { find, calls, answerAll, clock, lookups } = openLookupBatcher({ spacingMs: 100 });
    const first = find(['1@x.co']);
    await answerAll();
    const later = [2, 3, 4].map((index) => find([`${index}@x.co`]));
    await clock.advance(99);
    expect(calls.length).toBe(1);
    await clock.advance(1);
    await answerAll();
    await Promise.all([first, ...later]);
    expect(calls.map(({ emails }) => emails)).toEqual([['1@x.co'], ['2@x.co', '3@x.co', '4@x.co']]);
    expect([lookups.isIdle(), clock.pending]).toEqual([true, 0]);
  });

  test('are sent without delay when they fill a call', async () => {
    const { find, calls, answerAll } = openLookupBatcher({ spacingMs: 100 });
    const all = Array.from({ length: 101 }, (_, index) => find([`${index}@x.co`]));
    await answerAll();
    await Promise.all(all);
    expect(calls.map(({ emails }) => emails.length)).toEqual([1, 100]);
  });

  test('leave no state behind', async () => {
    const { find, answerAll, lookups, clock } = openLookupBatcher();
    const all = Promise.all(Array.from({ length: 20 }, (_, index) => find([`${index}@x.co`])));
    expect(lookups.isIdle()).toBe(false);
    await answerAll();
    await all;
    expect([lookups.isIdle(), clock.pending]).toEqual([true, 0]);
  });
});
