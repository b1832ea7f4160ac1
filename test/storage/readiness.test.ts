import { expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/database.ts';
import { createFakeClock } from '../support/clock.ts';
import { createTestDatabase, TEST_RING } from '../support/databases.ts';
import { openRival } from '../support/postgres-rival.ts';

const ADA = { customerId: 'ada', name: 'Ada', email: 'ada@example.com' };
const TOKEN = { type: 'oauth2', accessToken: 'a', refreshToken: null, expiresAt: null } as const;

test('data that another process encrypts with an unknown key is found half a minute later, and logged once', async () => {
  const fresh = await createTestDatabase();
  const clock = createFakeClock();
  const said: string[] = [];
  const onUnreadable = (detail: string) => void said.push(detail);
  const database = await openDatabase(fresh, { keyRing: TEST_RING, clock, onUnreadable });
  const { id } = await database.admin.createApplication('test');
  const connections = [{ providerName: 'hubspot', credentials: TOKEN }] as const;
  await database.forApplication(id).customers.upsert({ ...ADA, connections });
  expect(await database.checkShared()).toMatchObject({ keys: true });
  const rival = await openRival(fresh.url);
  await rival.run(`update crossbook.credentials set key_id = 'newer', sealed = reverse(sealed)`);
  await clock.advance(29_000);
  expect(await database.checkShared()).toMatchObject({ keys: true });
  await clock.advance(1_000);
  await expect.poll(database.checkShared).toMatchObject({ keys: false });
  await clock.advance(30_000);
  expect(await database.checkShared()).toMatchObject({ database: true, keys: false });
  expect(said).toEqual([expect.stringContaining('add newer behind the first')]);
  await Promise.all([rival.close(), database.close()]);
  await fresh.drop();
});
