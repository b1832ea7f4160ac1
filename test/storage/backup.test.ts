import { rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { afterAll, expect, test } from 'vitest';
import { backUp, restore, TABLES } from '../../src/storage/backup.ts';
import * as connectSchema from '../../src/storage/connect-schema.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { MIGRATIONS } from '../../src/storage/migrations.generated.ts';
import * as schema from '../../src/storage/schema.ts';
import * as syncSchema from '../../src/storage/sync-schema.ts';
import * as writesSchema from '../../src/storage/writes-schema.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  EXTERNAL,
  TEST_RING,
} from '../support/databases.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { openRival } from '../support/postgres-rival.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const folder = makeTemporaryFolder();
afterAll(() => rmSync(folder, { recursive: true }));

test('a backup has every table except caches and data that expire within a day', () => {
  const schemas = { ...schema, ...connectSchema, ...syncSchema, ...writesSchema };
  const tables = Object.values(schemas).filter((value) => is(value, PgTable));
  const left = ['contact_cache', 'job_leases', 'connect_links', 'connect_flows'];
  expect(tables.map(getTableName).sort()).toEqual([...TABLES, ...left].sort());
});

const KINDS = EXTERNAL ? (['embedded', 'external'] as const) : (['embedded'] as const);

test.each(KINDS)('a backup restores every row unchanged on another server (%s)', async (kind) => {
  const [from, to] = [await createTestDatabase(), await createEmptyDatabase(kind)];
  await fill(from.url);
  const file = join(folder, `${kind}.gz`);
  await backUp(from, file);
  await restore(file, to);
  expect(await readRows(to.url)).toEqual(await readRows(from.url));
  // What is sealed can be opened there, and a second restore finds something.
  await (await openDatabase(to, { ...PATIENT_DATABASE, keyRing: TEST_RING })).close();
  await expect(restore(file, to)).rejects.toThrow('This database is not empty');
  await Promise.all([from.drop(), to.drop()]);
});

test('a truncated backup, or one of a later version, is rejected and leaves an empty database', async () => {
  const [from, to] = [await createTestDatabase(), await createEmptyDatabase()];
  await fill(from.url);
  const file = join(folder, 'whole.gz');
  await backUp(from, file);
  const lines = gunzipSync(await readFile(file))
    .toString()
    .trimEnd()
    .split('\n');
  const write = (name: string, content: readonly string[]) => {
    writeFileSync(join(folder, name), gzipSync(`${content.join('\n')}\n`));
    return restore(join(folder, name), to);
  };
  await expect(write('short.gz', lines.slice(0, -1))).rejects.toThrow('is not a backup');
  await expect(
    write(
      'gap.gz',
      lines.filter((_, index) => index !== 1),
    ),
  ).rejects.toThrow('is not a backup');
  writeFileSync(join(folder, 'half.gz'), (await readFile(file)).subarray(0, 200));
  await expect(restore(join(folder, 'half.gz'), to)).rejects.toThrow('is not a backup');
  const later = {
    ...JSON.parse(lines[0] ?? ''),
    migrations: [...MIGRATIONS.map(({ name }) => name), '9999_later'],
  };
  await expect(write('later.gz', [JSON.stringify(later), ...lines.slice(1)])).rejects.toThrow(
    'later version',
  );
  const rival = await openRival(to.url);
  expect(await rival.run(`select to_regclass('crossbook.applications') as name`)).toEqual([
    { name: null },
  ]);
  await rival.close();
  await Promise.all([from.drop(), to.drop()]);
});

async function fill(url: string): Promise<void> {
  const database = await openDatabase({ url }, { ...PATIENT_DATABASE, keyRing: TEST_RING });
  const { id } = await database.admin.createApplication('“Ünïcode” \\ \n 😀');
  await database.admin.createKey({ applicationId: id, name: 'key' });
  const { customers, oauthClients } = database.forApplication(id);
  await oauthClients.set('hubspot', { clientId: 'id', clientSecret: 'secret' });
  for (let index = 0; index < 1_200; index += 1) {
    const credentials = { type: 'token', value: `token ${index}` } as const;
    await customers.upsert({
      customerId: `c'"\\${index}`,
      name: 'N',
      email: 'a@b.c',
      connections:
        index % 100 === 0 ? [{ providerName: 'hubspot', credentials, instanceUrl: null }] : [],
    });
  }
  await database.close();
}

async function readRows(url: string): Promise<unknown> {
  const rival = await openRival(url);
  const rows = [];
  for (const table of TABLES)
    rows.push(await rival.run(`select * from crossbook.${table} order by 1, 2`));
  await rival.close();
  return rows;
}
