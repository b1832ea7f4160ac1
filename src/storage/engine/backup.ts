import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { lockDirectory } from './directory-lock.ts';

/** The embedded database as one file. It is locked meanwhile, so that what is written belongs together. */
export async function backUpDirectory(directory: string, file: string): Promise<BackupFacts> {
  if (!existsSync(join(directory, 'PG_VERSION'))) throw new Error(`There is no database in ${directory}.`);
  if (existsSync(file)) throw new Error(`${file} exists already: a backup overwrites nothing.`);
  const release = lockDirectory(directory);
  try {
    const client = await PGlite.create({ dataDir: directory });
    const dump = await client.dumpDataDir('gzip').finally(() => client.close());
    const bytes = Buffer.from(await dump.arrayBuffer());
    writeWhole(file, bytes);
    return { file, bytes: bytes.length };
  } finally {
    release();
  }
}

/** Puts a backup where no database is yet. It is unpacked and opened beside that place first: half of one never counts. */
export async function restoreDirectory(file: string, directory: string): Promise<BackupFacts> {
  if (existsSync(directory) && readdirSync(directory).length > 0) {
    throw new Error(`There is something in ${directory} already: move it away, then restore.`);
  }
  const packed = readFileSync(file);
  mkdirSync(dirname(directory), { recursive: true, mode: 0o700 });
  const release = lockDirectory(directory);
  const draft = `${directory}.${randomBytes(4).toString('hex')}`;
  try {
    mkdirSync(draft, { mode: 0o700 });
    await unpack(packed, draft).catch((cause: unknown) => {
      throw new Error(`${file} is not a backup of Crossbook's embedded database.`, { cause });
    });
    rmSync(directory, { recursive: true, force: true });
    renameSync(draft, directory);
    return { file, bytes: packed.length };
  } finally {
    rmSync(draft, { recursive: true, force: true });
    release();
  }
}

async function unpack(packed: Uint8Array, directory: string): Promise<void> {
  // Not left to PGlite: what is no gzip would end the process there.
  const tar = await promisify(gunzip)(packed);
  const loadDataDir = new Blob([new Uint8Array(tar)], { type: 'application/x-tar' });
  const client = await PGlite.create({ dataDir: directory, loadDataDir });
  try {
    await client.query('select name from crossbook.migrations');
  } finally {
    await client.close();
  }
}

/** Complete, or not there; and its owner's alone. */
function writeWhole(file: string, bytes: Uint8Array): void {
  const draft = `${file}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(draft, bytes, { mode: 0o600, flush: true });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

export interface BackupFacts {
  readonly file: string;
  readonly bytes: number;
}
