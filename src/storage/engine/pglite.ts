import { mkdirSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { attempt } from './attempt.ts';
import { lockDirectory } from './directory-lock.ts';
import type { Engine } from './engine.ts';

/** PostgreSQL inside this process. Without a directory it lives in memory alone. */
export async function openPglite(directory: string | undefined): Promise<Engine> {
  if (directory === undefined) return toEngine(await PGlite.create(), () => undefined);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const release = lockDirectory(directory);
  try {
    return toEngine(await PGlite.create({ dataDir: directory }), release);
  } catch (error) {
    release();
    throw error;
  }
}

function toEngine(client: PGlite, release: () => void): Engine {
  const once = <T>(work: () => Promise<T>) => attempt(work, { repeatable: false, deadlineMs: 0 });
  return {
    kind: 'pglite',
    orm: drizzle(client),
    query: async <Row>({ text }: { text: string }, values: readonly unknown[]) =>
      (await client.query<Row>(text, [...values])).rows,
    repeatable: once,
    once,
    // There is no other process, and within this one the store lets only one caller through.
    exclusively: (_key, work) => work(),
    alone: (work) =>
      client.transaction((one) =>
        work(async (text, values = []) => (await one.query(text, [...values])).rows),
      ),
    ping: () => once(async () => void (await client.query('select 1'))),
    close: async () => {
      await client.close();
      release();
    },
  };
}
