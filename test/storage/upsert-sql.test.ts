import { expect, test } from 'vitest';
import { UPSERTS } from '../../src/storage/upsert-sql.ts';

test('the statements of an upsert are printed, to be read as a whole', async () => {
  const statements = Object.values(UPSERTS).flatMap((modes) => Object.values(modes));
  const printed = statements.map(({ name, text }) => `-- ${name}\n${text.trim()};\n`);
  await expect(printed.join('\n')).toMatchFileSnapshot('upsert.sql');
});
