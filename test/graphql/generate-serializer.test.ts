import { expect, test } from 'vitest';
import { createAllowance, RESPONSE_BOUNDS } from '../../src/domain/resources.ts';
import { generateSerializer } from '../../src/graphql/compiled/generate-serializer.ts';
import type { Serializer } from '../../src/graphql/compiled/serializers.ts';

const NAME = 'a"b\'c`\\d\n';

test.each([
  [true, null],
  [false, 'by its own reader'],
])('short texts are read in place, whatever their names hold (nullable: %s)', (isNullable, ofNull) => {
  const own: Serializer = () => 'by its own reader';
  const read = generateSerializer([{ key: NAME, read: own }], {
    isUnexpected: () => false,
    bailOut: () => expect.unreachable(),
    propertyOf: () => ({ name: NAME, isNullable }),
    shortLength: 5,
  });
  const allowance = createAllowance(RESPONSE_BOUNDS.caller);
  const values = ['', 'short', 'longer', 7, null].map((value) => read?.({ [NAME]: value }, allowance));
  const answers = ['', 'short', 'by its own reader', 'by its own reader', ofNull];
  expect(values).toEqual(answers.map((answer) => ({ [NAME]: answer })));
});
