import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import { PATIENT_DATABASE } from './patience.ts';

/** The key ring of the database: the product must be opened with the same one. */
export const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;

/** Adds a second application before the product starts, and returns its API key. */
export async function addApplication(url: string): Promise<string> {
  const database = await openDatabase(
    { url },
    { ...PATIENT_DATABASE, keyRing: parseKeyRing(KEYS) },
  );
  const { id } = await database.admin.createApplication('Other');
  const { key } = await database.admin.createKey({ applicationId: id, name: 'other' });
  await database.close();
  return key;
}
