import pg from 'pg';

/** Databases are made from it: with all tables, and nothing in them. */
export const TEMPLATE = 'crossbook_template';

export async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The same server's database of that name. */
export function withName(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
