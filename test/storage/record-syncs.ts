import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** The content of the directory at each sync. */
export function recordSyncs(folder: string, work: () => unknown): readonly (readonly string[])[] {
  const { fsyncSync } = fs;
  const synced: string[][] = [];
  fs.fsyncSync = (descriptor) => {
    if (fs.fstatSync(descriptor).ino === fs.statSync(folder).ino)
      synced.push(fs.readdirSync(folder));
    fsyncSync(descriptor);
  };
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    fs.fsyncSync = fsyncSync;
    syncBuiltinESMExports();
  }
  return synced;
}
