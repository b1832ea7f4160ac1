import { expect, test } from 'vitest';
import { createAllowance, RESPONSE_BOUNDS } from '../../src/domain/allowance.ts';
import type { Read } from '../../src/graphql/fast/reader.ts';
import { writeReader } from '../../src/graphql/fast/written-reader.ts';

const NAME = 'a"b\'c`\\d\n';

test.each([
  [true, null],
  [false, 'by its own reader'],
])('short texts are read in place, whatever their names hold (nullable: %s)', (isNullable, ofNull) => {
  const own: Read = () => 'by its own reader';
  const read = writeReader([{ key: NAME, read: own }], {
    isOdd: () => false,
    odd: () => expect.unreachable(),
    propertyOf: () => ({ name: NAME, isNullable }),
    shortLength: 5,
  });
  const allowance = createAllowance(RESPONSE_BOUNDS.caller);
  const values = ['', 'short', 'longer', 7, null].map((value) => read?.({ [NAME]: value }, allowance));
  const answers = ['', 'short', 'by its own reader', 'by its own reader', ofNull];
  expect(values).toEqual(answers.map((answer) => ({ [NAME]: answer })));
});
