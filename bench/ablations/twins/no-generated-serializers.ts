import type { Read } from '../../../src/graphql/fast/reader.ts';

/** As where a process may not make functions of text. */
export function writeReader(): Read | undefined {
  return undefined;
}
