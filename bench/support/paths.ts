import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// This file runs as bench/dist/support/paths.js.
export const ROOT = join(import.meta.dirname, '../../..');
export const PRODUCT = join(ROOT, 'dist');
export const RESULTS = join(ROOT, 'bench/results');

/** The compiled script of a process of the bench. */
export function scriptOf(path: string): string {
  return join(import.meta.dirname, '..', `${path}.js`);
}

/** A directory that is gone when the bench ends. */
export function makeTemporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'crossbook-bench-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
