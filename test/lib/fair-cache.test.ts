import { expect, test } from 'vitest';
import { createFairCache } from '../../src/lib/cache.ts';
import { createMemoryLimit } from '../../src/limits/memory-limit.ts';

test('the entries of a cache are counted with the memory of the process, and nothing else is', () => {
  const { cache, held } = open({ maxBytes: 1_000 });
  cache.set('a', 'value', { owner: 'one', bytes: 300 });
  cache.set('b', 'value', { owner: 'one', bytes: 100 });
  cache.grow('b', 50);
  expect(held()).toBe(450);
  cache.set('b', 'smaller', { owner: 'one', bytes: 10 });
  expect(held()).toBe(310);
  cache.set('c', 'value', { owner: 'two', bytes: 290 });
  expect([held(), cache.counts().bytes]).toEqual([600, 600]);
  cache.set('d', 'value', { owner: 'two', bytes: 10 });
  expect([held(), cache.counts().bytes]).toEqual([310, 310]);
  cache.set('d', 'too large by itself', { owner: 'two', bytes: 501 });
  expect([held(), cache.counts().bytes]).toEqual([300, 300]);
});

test('a cache shrinks when the process has no memory for it', () => {
  const { cache, heldBytes, held } = open({ maxBytes: 1_000 });
  const body = heldBytes.acquire({}, 'request_body', 800);
  cache.set('a', 'value', { owner: 'one', bytes: 150 });
  cache.set('b', 'value', { owner: 'one', bytes: 100 });
  expect([cache.get('a'), cache.get('b'), held()]).toEqual([undefined, 'value', 100]);
  cache.set('c', 'value', { owner: 'one', bytes: 250 });
  expect([cache.counts().entries, held()]).toEqual([0, 0]);
  body?.release();
  cache.set('c', 'value', { owner: 'one', bytes: 250 });
  expect([cache.get('c'), held()]).toEqual(['value', 250]);
});

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

function open({ maxBytes }: { readonly maxBytes: number }) {
  const heldBytes = createMemoryLimit({ maxBytes });
  const memory = heldBytes.acquire({}, 'document', 0);
  const cache = createFairCache<string>({ maxBytes: 600, maxEntryBytes: 500, memory });
  return { cache, heldBytes, held: () => heldBytes.counts().kinds.document.held };
}
