import type { Database } from '../../src/storage/database.ts';

/** The caller of one key, read from the database without a cache. */
export async function findCallerByKey({ parseApiKey, findCallersByKey }: Database, key: string) {
  const presented = parseApiKey(key);
  return presented && (await findCallersByKey([presented]))[0];
}
