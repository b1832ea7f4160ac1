import { expect, test, vi } from 'vitest';
import { createTtlCache } from '../../src/lib/cache.ts';

function open(maxEntries = 10) {
  let now = 0;
  const cache = createTtlCache<string>({ maxAgeMs: 5_000, maxEntries, now: () => now });
  return { cache, advance };

  function advance(byMs: number): void {
    now += byMs;
  }
}

test('a found value is cached until its maximum age, counted from the start of the look-up', async () => {
  const { cache, advance } = open();
  const load = vi.fn(async () => {
    advance(1_000);
    return 'found';
  });
  expect(await cache.find('a', load)).toBe('found');
  advance(3_999);
  expect(await cache.find('a', load)).toBe('found');
  expect(load).toHaveBeenCalledTimes(1);
  advance(1);
  await cache.find('a', load);
  expect(load).toHaveBeenCalledTimes(2);
});

test('a missing value is looked up again, and evicts nothing', async () => {
  const { cache } = open(1);
  await cache.find('kept', async () => 'kept');
  for (const key of ['a', 'b', 'a'])
    expect(await cache.find(key, async () => undefined)).toBeUndefined();
  const load = vi.fn(async () => 'new');
  expect(await cache.find('kept', load)).toBe('kept');
  expect(await cache.find('a', load)).toBe('new');
});

test('a failure is not cached', async () => {
  const { cache } = open();
  await expect(cache.find('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.find('a', async () => 'back')).toBe('back');
});

test('simultaneous look-ups share one load', async () => {
  const { cache } = open();
  const load = vi.fn(async () => 'found');
  expect(await Promise.all(Array.from({ length: 20 }, () => cache.find('a', load)))).toEqual(
    Array.from({ length: 20 }, () => 'found'),
  );
  expect(load).toHaveBeenCalledTimes(1);
});

test('the oldest entry is evicted when the cache is full', async () => {
  const { cache } = open(2);
  for (const key of ['a', 'b', 'c']) await cache.find(key, async () => key);
  const load = vi.fn(async () => 'again');
  expect(await cache.find('c', load)).toBe('c');
  expect(await cache.find('b', load)).toBe('b');
  expect(await cache.find('a', load)).toBe('again');
});
