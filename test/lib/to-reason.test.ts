import { expect, test } from 'vitest';
import { toReason } from '../../src/lib/output.ts';

test.each([
  ['an error', new Error('No space left on device'), 'No space left on device'],
  [
    'one without a message',
    Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
    'ECONNREFUSED',
  ],
  ['one that says nothing at all', new TypeError(), 'TypeError'],
  ['a text', 'stopped', 'stopped'],
  ['an object that is no error', { errno: 28 }, '{ errno: 28 }'],
  ['nothing', undefined, 'undefined'],
])('any thrown value becomes a readable reason: %s', (_, thrown, words) => {
  expect(toReason(thrown)).toBe(words);
});
