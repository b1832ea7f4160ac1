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

test('what was found is known until its age is up, counted from the question', async () => {
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

test('what is not there is asked for again, and pushes nothing out', async () => {
  const { cache } = open(1);
  await cache.find('kept', async () => 'kept');
  for (const key of ['a', 'b', 'a']) expect(await cache.find(key, async () => undefined)).toBeUndefined();
  const load = vi.fn(async () => 'new');
  expect(await cache.find('kept', load)).toBe('kept');
  expect(await cache.find('a', load)).toBe('new');
});

test('a failure is not remembered', async () => {
  const { cache } = open();
  await expect(cache.find('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.find('a', async () => 'back')).toBe('back');
});

test('who asks at the same moment waits for one answer', async () => {
  const { cache } = open();
  const load = vi.fn(async () => 'found');
  expect(await Promise.all(Array.from({ length: 20 }, () => cache.find('a', load)))).toEqual(
    Array.from({ length: 20 }, () => 'found'),
  );
  expect(load).toHaveBeenCalledTimes(1);
});

test('the oldest goes when there is no room', async () => {
  const { cache } = open(2);
  for (const key of ['a', 'b', 'c']) await cache.find(key, async () => key);
  const load = vi.fn(async () => 'again');
  expect(await cache.find('c', load)).toBe('c');
  expect(await cache.find('b', load)).toBe('b');
  expect(await cache.find('a', load)).toBe('again');
});
