import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openCluster } from './cluster.ts';

/** Both kinds of storage, each with its data on that disk. */
export const STORES: Readonly<Record<string, (disk: string) => Promise<DiskStore>>> = {
  async embedded(disk) {
    const home = join(disk, 'crossbook');
    const data = join(home, 'data');
    return {
      env: { CROSSBOOK_DATA: home },
      url() {
        const { password } = JSON.parse(readFileSync(join(data, 'crossbook.json'), 'utf8'));
        const socket = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[4] ?? '';
        return `postgres://crossbook:${password}@localhost/postgres?host=${encodeURIComponent(socket)}`;
      },
      // It starts and stops with the product.
      start: () => {},
      stop: () => {},
      close: () => {},
    };
  },

  async PostgreSQL(disk) {
    const cluster = await openCluster({}, disk);
    const home = mkdtempSync(join(tmpdir(), 'crossbook-home-'));
    return {
      env: { DATABASE_URL: cluster.url, CROSSBOOK_DATA: home },
      url: () => cluster.url,
      start() {
        if (!cluster.isRunning()) cluster.start();
      },
      stop() {
        if (cluster.isRunning()) cluster.stop();
      },
      close() {
        cluster.close();
        rmSync(home, { recursive: true });
      },
    };
  },
};

/** Switches to new files of the write-ahead log until the disk is full. */
export async function fillLog(url: string): Promise<void> {
  const client = new pg.Client(url);
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (;;)
      await client.query(`select pg_logical_emit_message(true, '', 'x'); select pg_switch_wal()`);
  } catch {
    // No file fits any more.
  } finally {
    await client.end().catch(() => undefined);
  }
}

export interface DiskStore {
  /** The environment of the product. */
  readonly env: Readonly<Record<string, string>>;
  url(): string;
  start(): void;
  stop(): void;
  close(): void;
}
