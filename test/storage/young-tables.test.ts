import { expect, test } from 'vitest';
import { UPSERTS } from '../../src/storage/upsert-sql.ts';
import { createTestDatabase } from '../support/databases.ts';
import { openRival } from '../support/postgres-rival.ts';

test('upserts read the connections of a customer by an index that has it, also before the tables have statistics', async () => {
  const { url, drop } = await createTestDatabase();
  const rival = await openRival(url);
  await rival.run('set plan_cache_mode = force_generic_plan');
  const plans: string[] = [];
  for (const { always, absent, present } of Object.values(UPSERTS)) {
    for (const { name, text } of [always, absent, present]) {
      await rival.run(`prepare ${name} as ${text}`);
      const values = text.includes('$4') ? '(null, null, null, null)' : '(null, null, null)';
      const lines = await rival.run(`explain execute ${name}${values}`);
      plans.push(lines.map((line) => Object.values(line)[0]).join('\n'));
    }
  }
  expect(plans).toHaveLength(6);
  for (const plan of plans) {
    expect(plan).toMatch(/connections_(?:of_customer|by_provider) on connections/);
    expect(plan).not.toContain('connections_pk');
  }
  await rival.close();
  await drop();
});
