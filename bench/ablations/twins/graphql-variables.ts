import type { ReadVariables } from '../../../src/graphql/fast/input/read-variables.ts';

/** Undefined leaves them to graphql-js. */
export function readVariables(): ReadVariables {
  return () => undefined;
}
