import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { toReason } from './output.ts';

/** The default data directory. */
export const DATA_DIRECTORY = '.crossbook';

/** The directory of the embedded database. */
export function toDatabaseDirectory(dataDirectory: string): string {
  return `${dataDirectory}/data`;
}

/** Creates the directory if it is missing. Throws with a clear message if it is not writable. */
export function openDataDirectory(directory: string): void {
  try {
    // Checked first, because on a read-only file system Node's recursive `mkdir` reports that there is no such
    // folder.
    accessSync(findExisting(resolve(directory)), constants.W_OK | constants.X_OK);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    const reason = toReason(error);
    throw new Error(`The data directory ${directory} cannot be used: ${reason}. ${INSTEAD}`, {
      cause: error,
    });
  }
}

function findExisting(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : findExisting(dirname(path));
}

const INSTEAD =
  'Let this user write to it, or name another folder with CROSSBOOK_DATA (a read-only mount cannot be one).';

/**
 * Atomically creates a file that only its owner may read: it is linked into place after it is on the disk. False
 * if it exists already: of two concurrent writers the first wins.
 */
export function linkNew(path: string, text: string, draft: string): boolean {
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
    syncFolder(dirname(path));
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    unlinkSync(draft);
  }
}

/** Makes new, renamed and linked entries of a folder durable, because syncing a file does not sync its name. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return; // a folder cannot be opened there
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Enables V8's compile cache in this folder where Node has it (22.1). Call it before the code is loaded. A folder
 * that is not writable only loses the speed-up.
 */
export function useCompileCache(folder: string): void {
  const { enableCompileCache } = nodeModule as CompileCacheApi;
  if (!enableCompileCache) return;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    enableCompileCache(join(folder, 'compile-cache'));
  } catch {
    // The folder is read-only.
  }
}

/** Writes the compile cache now: a killed process would not write it. */
export function flushCompileCache(): void {
  (nodeModule as CompileCacheApi).flushCompileCache?.();
}

/** Missing in the types of Node 20. */
interface CompileCacheApi {
  readonly enableCompileCache?: (folder: string) => unknown;
  readonly flushCompileCache?: () => void;
}
