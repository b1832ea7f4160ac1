import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { toReason } from './to-reason.ts';

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
