import type { Write } from '../../../src/graphql/compiled/writer.ts';

export function createWriter(): Write | undefined {
  return undefined;
}
