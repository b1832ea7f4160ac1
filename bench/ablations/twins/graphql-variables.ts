import type { ReadVariables } from '../../../src/graphql/compiled/input/read-variables.ts';

/** Undefined leaves them to graphql-js. */
export function readVariables(): ReadVariables {
  return () => undefined;
}
