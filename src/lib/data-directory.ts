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

/** Where the data are unless the environment says otherwise. */
export const DATA_DIRECTORY = '.crossbook';

/** Of the embedded database. */
export function toDatabaseDirectory(dataDirectory: string): string {
  return `${dataDirectory}/data`;
}

/** Makes it where there is none. One that cannot be written to is refused in words: nothing can be kept there. */
export function openDataDirectory(directory: string): void {
  try {
    // Asked first: on a read-only file system Node's recursive `mkdir` says that there is no such folder.
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
 * Makes a file that only its owner may read, whole or not at all: it is linked into place once it is on the disk. False
 * where there is one already: of two that try, the first wins.
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

/** Makes new, renamed and linked entries of a folder durable. Syncing a file's contents does not sync its name. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return; // a folder cannot be opened there
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * V8 keeps compiled code from one start to the next in this folder, where Node offers it (22.1). Call it before the code
 * is loaded. A folder that cannot be written to costs the gain and nothing else.
 */
export function useCompileCache(folder: string): void {
  const { enableCompileCache } = nodeModule as CompileCacheApi;
  if (!enableCompileCache) return;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    enableCompileCache(join(folder, 'compile-cache'));
  } catch {
    // Read-only.
  }
}

/** Writes what is compiled by now: a process that is killed would leave nothing. */
export function flushCompileCache(): void {
  (nodeModule as CompileCacheApi).flushCompileCache?.();
}

/** Not in the types of Node 20. */
interface CompileCacheApi {
  readonly enableCompileCache?: (folder: string) => unknown;
  readonly flushCompileCache?: () => void;
}
