import { expect, test } from 'vitest';
import { LARGE_ENTRY } from '../../src/domain/tenant.ts';
import { type CacheDeps, readThroughCache } from '../../src/usecases/read-through-cache.ts';

test('large entries are parsed when the scheduler admits them, small ones immediately', async () => {
  expect(await countTurns(LARGE_ENTRY)).toBe(1);
  expect(await countTurns(1)).toBe(0);
});

async function countTurns(size: number): Promise<number> {
  let turns = 0;
  const page = { contacts: [{ firstName: 'x'.repeat(size) }], hasNextPage: false, hasPreviousPage: false };
  const deps = {
    cache: { read: async () => ({ payload: JSON.stringify(page), fetchedAt: new Date(0) }) },
    cacheMaxAgeMs: 1_000,
    requestLog: {
      record: () => {},
      permit: {
        async takeTurn() {
          turns += 1;
        },
      },
    },
    wall: () => 0,
    behind: () => {},
  } as unknown as CacheDeps;
  const client = { connection: { id: 'c' }, source: {} };
  const { found } = await readThroughCache(deps, {
    client: client as never,
    selection: { rawData: false } as never,
    readFromCache: true,
    cacheKey: () => 'q',
    find: () => Promise.reject(new Error('the CRM was asked')),
  });
  expect(found.contacts).toHaveLength(1);
  return turns;
}
