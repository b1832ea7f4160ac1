import { mkdirSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { join } from 'node:path';

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
