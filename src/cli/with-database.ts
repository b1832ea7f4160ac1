import { type Database, openDatabase } from '../storage/database.ts';
import { openKeyRing } from '../storage/sealing/key-ring.ts';
import type { CommandContext } from './command.ts';

/** Opens the configured database for one command: the embedded one beside the process that serves, or alone. */
export async function withDatabase<T>(
  { readConfig, note }: CommandContext,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const config = readConfig();
  const { ring, notes } = openKeyRing(config);
  for (const line of notes) note(line);
  const database = await openDatabase({ ...config.database, join: true }, { keyRing: ring });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
