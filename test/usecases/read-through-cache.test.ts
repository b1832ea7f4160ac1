import { expect, test } from 'vitest';
import { CrossbookError } from '../../src/domain/errors.ts';
import { CACHE_ENTRY_MAX_AGE_MS } from '../../src/domain/tenant.ts';
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

/** Reads an entry of time 0 at this time. */
function readAt(now: number) {
  return read(createDeps(now));
}

function read(deps: CacheDeps) {
  const client = { connection: { id: 'c' }, source: {} };
  return readThroughCache(deps, {
    client: client as never,
    selection: { rawData: false } as never,
    readFromCache: true,
    cacheKey: () => 'q',
    find: () => Promise.reject(CRM_IS_DOWN),
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
