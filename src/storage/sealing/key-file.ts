import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openDataDirectory } from '../../lib/data-directory.ts';
import { linkNew } from '../../lib/link-new.ts';
import { toReason } from '../../lib/to-reason.ts';
import { KEY_BYTES, type KeyRing, parseKeyRing } from './key-ring.ts';

/** The key ring of the default start: made once in the directory, readable by its owner alone, and used ever after. */
export function loadOrCreateKeyRing(directory: string): KeyFile {
  const path = pathIn(directory);
  const kept = readRing(path);
  if (kept) return { ring: kept, created: false, path };
  openDataDirectory(directory);
  const created = createRing(path);
  const ring = readRing(path);
  if (!ring) throw new Error(`The key file ${path} cannot be read back`);
  return { ring, created, path };
}

/** Undefined where none was made yet. */
export function loadKeyRing(directory: string): KeyRing | undefined {
  return readRing(pathIn(directory));
}

function pathIn(directory: string): string {
  return join(directory, 'keys');
}

function readRing(path: string): KeyRing | undefined {
  try {
    const text = readFileSync(path, 'utf8').trim();
    // A copy or a restored backup may have been left readable to others.
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
    return parseKeyRing(text);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new Error(`The key file ${path} cannot be used: ${toReason(error)}`);
  }
}

function createRing(path: string): boolean {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const id = `local-${randomBytes(4).toString('hex')}`;
  return linkNew(path, `${id}:${randomBytes(KEY_BYTES).toString('base64')}\n`, draft);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

export interface KeyFile {
  readonly ring: KeyRing;
  /** True the first time: the start says so, because whoever loses the file loses the stored credentials. */
  readonly created: boolean;
  readonly path: string;
}
