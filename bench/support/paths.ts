import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// This file runs as bench/dist/support/paths.js.
export const ROOT = join(import.meta.dirname, '../../..');
export const PRODUCT = join(ROOT, 'dist');
/** Separately built folders of the product. */
export const PARTS = join(import.meta.dirname, '../product');
export const RESULTS = join(ROOT, 'bench/results');

/** The compiled script of a bench process. */
export function scriptOf(path: string): string {
  return join(import.meta.dirname, '..', `${path}.js`);
}

/** A directory that is deleted when the bench ends. */
export function makeTemporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'crossbook-bench-'));
  // For the user of the embedded database, where the bench runs as root.
  chmodSync(directory, 0o711);
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
