import { openEngine } from '../../src/storage/engine/open.ts';

/** Every row of the product's tables, as text. */
export async function readRows(url: string): Promise<readonly string[]> {
  const engine = await openEngine({ url }, {});
  try {
    const query = <Row>(text: string) => engine.query<Row>({ name: text.slice(-60), text }, []);
    const tables = await query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'crossbook'`,
    );
    const rows: string[] = [];
    for (const { name } of tables) {
      const found = await query<{ text: string }>(
        `select to_jsonb(kept)::text as text from crossbook."${name}" as kept`,
      );
      rows.push(...found.map(({ text }) => text));
    }
    return rows;
  } finally {
    await engine.close();
  }
}
