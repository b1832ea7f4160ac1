import { expect, test } from 'vitest';
import { createFairCache } from '../src/documents/fair-cache.ts';

test('an only owner can use the whole cache, and loses its least recently used entries first', () => {
  const cache = createFairCache<string>({ maxBytes: 30, maxEntryBytes: 30 });
  for (const key of ['a', 'b', 'c']) cache.set(key, key, { owner: 'one', bytes: 10 });
  cache.get('a');
  cache.set('d', 'd', { owner: 'one', bytes: 10 });
  expect(['a', 'b', 'c', 'd'].filter((key) => cache.get(key))).toEqual(['a', 'c', 'd']);
  expect(cache.counts()).toEqual({ entries: 3, bytes: 30 });
});

test('an owner that fills the cache loses its own entries, not those of another', () => {
  const cache = createFairCache<string>({ maxBytes: 100, maxEntryBytes: 50 });
  cache.set('small', 'small', { owner: 'small', bytes: 10 });
  for (let index = 0; index < 1_000; index += 1) {
    cache.set(`large${index}`, 'x', { owner: 'large', bytes: 10 });
    expect(cache.counts().bytes).toBeLessThanOrEqual(100);
  }
  expect(cache.get('small')).toBe('small');
});

test('an entry that is too large is not stored, and one that grows too large is removed', () => {
  const cache = createFairCache<string>({ maxBytes: 100, maxEntryBytes: 50 });
  cache.set('a', 'a', { owner: 'one', bytes: 51 });
  expect(cache.get('a')).toBeUndefined();
  cache.set('b', 'b', { owner: 'one', bytes: 50 });
  cache.grow('b', 51);
  expect(cache.get('b')).toBeUndefined();
  expect(cache.counts()).toEqual({ entries: 0, bytes: 0 });
});

test('parts have their own keys, share the limit and the owners, and keep nothing once they are closed', () => {
  const cache = createFairCache<string>({ maxBytes: 40, maxEntryBytes: 40 });
  const part = cache.openPart();
  const size = { owner: 'one', bytes: 10 };
  cache.set('a', 'of the whole', size);
  part.set('a', 'of the part', size);
  expect([cache.get('a'), part.get('a')]).toEqual(['of the whole', 'of the part']);
  expect([cache.counts(), part.counts()]).toEqual(Array(2).fill({ entries: 2, bytes: 20 }));
  part.grow('a', 5);
  expect(cache.counts()).toEqual({ entries: 2, bytes: 25 });
  // Another owner fills it: the one that holds the most loses entries, in whichever part.
  cache.set('b', 'b', { owner: 'other', bytes: 20 });
  expect([cache.get('a'), part.get('a'), cache.get('b')]).toEqual([undefined, 'of the part', 'b']);
  part.close();
  part.set('c', 'c', size);
  expect([part.get('a'), part.get('c')]).toEqual([undefined, undefined]);
  expect(cache.counts()).toEqual({ entries: 1, bytes: 20 });
});
