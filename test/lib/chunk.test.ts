import { expect, test } from 'vitest';
import { chunk } from '../../src/lib/batcher.ts';

test.each([
  [[], 2, []],
  [[1], 2, [[1]]],
  [[1, 2], 2, [[1, 2]]],
  [[1, 2, 3], 2, [[1, 2], [3]]],
])('%j in pieces of %i is %j', (items, size, expected) => {
  expect(chunk<number>(items, size)).toEqual(expected);
});
