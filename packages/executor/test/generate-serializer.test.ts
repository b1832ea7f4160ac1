import { GraphQLString } from 'graphql';
import { expect, test } from 'vitest';
import { Allowance, DEFAULT_BOUNDS } from '../src/allowance.ts';
import {
  generateSerializer,
  readNullable,
  readProperty,
  serializeLeaf,
} from '../src/execution/serializers.ts';

const NAME = 'a"b\'c`\\d\n';
const LONG = 'a'.repeat(65);

test.each([true, false])(
  'short texts are serialized inline, whatever characters their names contain (nullable: %s)',
  (isNullable) => {
    const leaf = serializeLeaf(GraphQLString);
    const read = readProperty(NAME, isNullable ? readNullable(leaf) : leaf);
    const generated = generateSerializer([{ key: NAME, serialize: read, list: undefined }]);
    // What is not short is left to the property's own reader: that one consumes, or bails out.
    const consumed: number[] = [];
    const allowance = Object.assign(new Allowance(DEFAULT_BOUNDS), {
      consumeResultBytes: (count: number) => void consumed.push(count),
    });
    const answers = ['', 'short', LONG, 7, null].map((value) => {
      try {
        return generated?.({ [NAME]: value }, { allowance, together: new Map() });
      } catch {
        return 'by its own reader';
      }
    });
    const own = 'by its own reader';
    const ofNull = isNullable ? { [NAME]: null } : own;
    expect(answers).toEqual([{ [NAME]: '' }, { [NAME]: 'short' }, { [NAME]: LONG }, own, ofNull]);
    expect(consumed).toEqual([LONG.length]);
  },
);
