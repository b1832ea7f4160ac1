import { expect, test } from 'vitest';
import { splitStreet } from '../../src/lib/text.ts';

test.each([
  [null, [null, null]],
  ['1 Main Street', ['1 Main Street', null]],
  ['1 Main Street\nFlat 2', ['1 Main Street', 'Flat 2']],
  ['1 Main Street\r\nFlat 2\r\nBack door', ['1 Main Street', 'Flat 2\r\nBack door']],
  ['1 Main Street \n ', ['1 Main Street', null]],
  ['\nFlat 2', [null, 'Flat 2']],
])('the street %j is %j', (street, streets) => {
  expect(splitStreet(street)).toEqual(streets);
});
