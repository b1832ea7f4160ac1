// Converts the rows of a PGlite data directory, of versions before 0.2.0, to a file for `crossbook restore`.
//   npm install --no-save @electric-sql/pglite@0.5.16
//   node ops/carry-pglite.mjs .crossbook/data rows.gz
import { existsSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';

const TABLES = ['applications', 'api_keys', 'customers', 'connections', 'credentials'];
const [folder = '', file = ''] = process.argv.slice(2);
if (!existsSync(`${folder}/PG_VERSION`) || existsSync(`${folder}/crossbook.json`) || file === '')
  throw new Error(
    'Usage: node ops/carry-pglite.mjs FOLDER FILE, with the data folder of an earlier version.',
  );

const database = await PGlite.create({ dataDir: folder });
const query = async (text) => (await database.query(text)).rows;
const migrations = (await query('select name from crossbook.migrations order by name')).map(
  ({ name }) => name,
);
const lines = [];
for (const table of TABLES) {
  const rows = await query(`select to_jsonb(kept)::text as row from crossbook.${table} kept`);
  lines.push(...rows.map(({ row }) => `["${table}",${row}]`));
}
await database.close();
const all = [
  JSON.stringify({ format: 'crossbook rows 1', migrations }),
  ...lines,
  JSON.stringify({ rows: lines.length }),
];
writeFileSync(file, gzipSync(`${all.join('\n')}\n`), { mode: 0o600, flag: 'wx' });
process.stdout.write(`${file}: ${lines.length} rows\n`);
