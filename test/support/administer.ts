import pg from 'pg';

/** The template database, with all tables and no rows. */
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

/** The database of that name on the same server. */
export function withName(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
