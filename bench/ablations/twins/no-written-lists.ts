import type { Write } from '../../../src/graphql/fast/writer.ts';

export function createWriter(): Write | undefined {
  return undefined;
}
