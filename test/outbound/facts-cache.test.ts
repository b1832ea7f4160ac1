import { describe, expect, test } from 'vitest';
import { BACKGROUND_WORK } from '../../src/admission/work.ts';
import { createFactsCache } from '../../src/outbound/facts-cache.ts';
import { createFakeClock } from '../support/clock.ts';
import { createFakeContactCache } from '../support/fake-contact-cache.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe('facts of a connection', () => {
  test('are read by all processes after one of them has stored them', async () => {
    const { open } = setUp();
    const [first, second] = [open(), open()];
    expect(await first.learn(undefined, learnt('hidden'))).toBe('result of hidden');
    expect([await first.read(), await second.read()]).toEqual(['hidden', 'hidden']);
  });

  test('are loaded once a minute, however often they are read', async () => {
    const { open, clock, reads } = setUp();
    const facts = open();
    for (let time = 0; time < 5; time += 1) expect(await facts.read()).toBeUndefined();
    expect(reads()).toBe(1);
    await open().learn(undefined, learnt('hidden'));
    expect(await facts.read()).toBeUndefined();
    await clock.advance(MINUTE_MS);
    expect(await facts.read()).toBe('hidden');
  });

  test('are valid for a day', async () => {
    const { open, clock } = setUp();
    const facts = open();
    await facts.learn(undefined, learnt('hidden'));
    await clock.advance(DAY_MS);
    expect(await facts.read()).toBe('hidden');
    await clock.advance(MINUTE_MS);
    expect(await facts.read()).toBeUndefined();
  });

  test('are determined by one of several concurrent callers, and not again for a caller that saw an older state', async () => {
    const { open } = setUp();
    const facts = open();
    const works = ['a', 'b', 'c'].map((what) => facts.learn(undefined, learnt(what)));
    expect(await Promise.all(works)).toEqual(['result of a', undefined, undefined]);
    expect(await facts.learn(undefined, learnt('late'))).toBeUndefined();
    expect(await open().learn(undefined, learnt('elsewhere'))).toBeUndefined();
    expect(await facts.learn('a', learnt('newer'))).toBe('result of newer');
    expect(await facts.read()).toBe('newer');
  });

  test('are determined by the next caller when the first one fails', async () => {
    const { open } = setUp();
    const facts = open();
    const failing = facts.learn(undefined, () => Promise.reject(new Error('gone')));
    const next = facts.learn(undefined, learnt('hidden'));
    await expect(failing).rejects.toThrow('gone');
    expect(await next).toBe('result of hidden');
  });

  test('that were being determined when the connection changed are not remembered', async () => {
    const { facts, forget } = setUp().openCache();
    const result = await facts.learn(undefined, async () => {
      forget();
      return { facts: 'of the old account', result: 'read' };
    });
    expect([result, await facts.read()]).toEqual(['read', undefined]);
  });

  test('are unknown, without an error, when they cannot be read or stored', async () => {
    const away = () => Promise.reject(new Error('the database is away'));
    const facts = setUp({ read: away, write: away, refuse: away }).open();
    expect(await facts.read()).toBeUndefined();
    expect(await facts.learn(undefined, learnt('hidden'))).toBe('result of hidden');
    expect(await facts.read()).toBe('hidden');
  });
});

function setUp(cache = createFakeContactCache()) {
  const clock = createFakeClock();
  let reads = 0;
  const counting = {
    ...cache,
    read: (...asked: Parameters<typeof cache.read>) => {
      reads += 1;
      return cache.read(...asked);
    },
  };
  /** As one process has them. */
  const open = () => openCache().facts;
  const openCache = () => {
    const facts = createFactsCache('c', clock);
    const wait = { clock, deadline: Number.POSITIVE_INFINITY, work: BACKGROUND_WORK };
    return { facts: facts.of(counting, wait), forget: facts.forget };
  };
  return { open, openCache, clock, reads: () => reads };
}

function learnt(facts: string) {
  return async () => ({ facts, result: `result of ${facts}` });
}
