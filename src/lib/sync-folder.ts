import { closeSync, fsyncSync, openSync } from 'node:fs';

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
