import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '../../src/storage/engine/open.ts';

/** Every row of every table, as text; bytes in hexadecimal. */
export async function readAllRows(directory: string): Promise<readonly StoredRow[]> {
  const engine = await openEngine({ directory }, {});
  const query = <Row>(text: string) => engine.query<Row>({ name: text.slice(-60), text }, []);
  try {
    const tables = await query<{ schema: string; name: string }>(
      `select table_schema as schema, table_name as name from information_schema.tables
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    const rows = await Promise.all(
      tables.map(async ({ schema, name }) => {
        const found = await query<{ text: string }>(
          `select to_jsonb(kept)::text as text from "${schema}"."${name}" as kept`,
        );
        return found.map(({ text }) => ({ table: name, text }));
      }),
    );
    return rows.flat();
  } finally {
    await engine.close();
  }
}

/** The strings that occur in any file of a directory: tables, indexes, logs. */
export function findInFiles(directory: string, texts: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    for (const text of texts) if (bytes.includes(text)) found.add(text);
  }
  return [...found];
}

/** A secret unchanged, and in reversible encodings. */
export function toSpellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [
    secret,
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ];
}

interface StoredRow {
  readonly table: string;
  readonly text: string;
}
