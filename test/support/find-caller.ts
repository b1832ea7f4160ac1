import type { Database } from '../../src/storage/database.ts';

/** Who one key belongs to, asked of the database alone. */
export async function findCallerByKey({ parseApiKey, findCallersByKey }: Database, key: string) {
  const presented = parseApiKey(key);
  return presented && (await findCallersByKey([presented]))[0];
}
