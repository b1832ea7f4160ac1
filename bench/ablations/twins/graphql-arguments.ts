import type { ArgumentReaders } from '../../../src/graphql/compiled/input/read-arguments.ts';

/** Undefined leaves them to graphql-js. */
export function createArgumentReaders(): ArgumentReaders {
  return () => () => undefined;
}
