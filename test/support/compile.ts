import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { INSTALLED } from '../../build/installed.mjs';
import './process-sources.ts';

/**
 * Bundles a TypeScript script with our sources into one file, since Node 20 cannot run TypeScript. Inside the
 * project, so that packages resolve.
 */
export function compile(entry: string, root = ROOT): Compiled {
  serial += 1;
  const folder = join(ROOT, 'test-results', `compiled-${process.pid}-${serial}`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'script.mjs');
  buildSync({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    external: INSTALLED,
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  return { file, remove: () => rmSync(folder, { recursive: true }) };
}

let serial = 0;
const ROOT = join(import.meta.dirname, '../..');

export interface Compiled {
  readonly file: string;
  remove(): void;
}
