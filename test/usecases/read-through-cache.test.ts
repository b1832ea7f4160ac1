import { expect, test } from 'vitest';
import { CrossbookError } from '../../src/domain/errors.ts';
import type { CrmRecord } from '../../src/domain/records/record.ts';
import { CACHE_ENTRY_MAX_AGE_MS, type CacheEntry } from '../../src/domain/tenant.ts';
import { type CacheDeps, readThroughCache } from '../../src/usecases/read-through-cache.ts';

test.each([
  ['a day ago', 1],
  ['a day from now, because the clock was set back', -1],
])(
  'while the CRM is down, an entry of up to %s is served, and none beyond',
  async (_title, sign) => {
    const stale = await readAt(sign * CACHE_ENTRY_MAX_AGE_MS);
    expect(stale.found.records).toHaveLength(1);
    await expect(readAt(sign * (CACHE_ENTRY_MAX_AGE_MS + 1))).rejects.toThrow(CRM_IS_DOWN);
  },
);

test.each([
  ['as many as it has records', 2, 500, 2],
  ['more where the CRM has sent long ones', 2, 7_500, 8],
])('a result that is kept weighs %s', async (_title, count, bytes, weight) => {
  const kept: CacheEntry[] = [];
  let read = bytes;
  const deps = {
    ...createDeps(0),
    cache: { write: async (entry: CacheEntry) => void kept.push(entry) },
    work: { takeReadBytes: () => read },
  } as unknown as CacheDeps;
  const records = Array.from({ length: count }, () => ({}) as CrmRecord);
  const found = { records, hasNextPage: false, hasPreviousPage: false, totalCount: null };
  await search(deps, { readFromCache: false, find: async () => found });
  // What one search has read does not count for the next one.
  read = 0;
  await search(deps, { readFromCache: false, find: async () => found });
  expect(kept.map((entry) => entry.weight)).toEqual([weight, count]);
});

/** Reads an entry of time 0 at this time. */
function readAt(now: number) {
  return read(createDeps(now));
}

function read(deps: CacheDeps) {
  return search(deps, { readFromCache: true, find: () => Promise.reject(CRM_IS_DOWN) });
}

function search(
  deps: CacheDeps,
  wanted: Pick<Parameters<typeof readThroughCache>[1], 'readFromCache' | 'find'>,
) {
  const client = { connection: { id: 'c' }, source: {} };
  return readThroughCache(deps, {
    client: client as never,
    selection: { rawData: false } as never,
    cacheKey: () => 'q',
    ...wanted,
  });
}

const CRM_IS_DOWN = new CrossbookError('REMOTE_PROVIDER_UNAVAILABLE', 'The CRM is down.');

function createDeps(now: number): CacheDeps {
  const page = {
    contacts: [{ firstName: 'Ada' }],
    hasNextPage: false,
    hasPreviousPage: false,
  };
  return {
    cache: { read: async () => ({ payload: JSON.stringify(page), fetchedAt: new Date(0) }) },
    cacheMaxAgeMs: 1_000,
    requestLog: { record: () => {} },
    shareCachedRead: (_connectionId: string, _key: string, read: () => unknown) => read(),
    wall: () => now,
    runInBackground: () => {},
  } as unknown as CacheDeps;
}
