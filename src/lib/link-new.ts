import { linkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from './sync-folder.ts';

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
