import { expect, test } from 'vitest';
import { parseExactJson } from '../../src/lib/exact-json.ts';

function parse(text: string): unknown {
  return parseExactJson(Buffer.from(text), text);
}

test.each([
  ['9007199254740993', '9007199254740993'],
  ['123456789012345678', '123456789012345678'],
  ['-1234567890123456.78', '-1234567890123456.78'],
  ['0.12345678901234567890', '0.12345678901234567890'],
  ['9007199254740992', 9_007_199_254_740_992],
  ['1000000000000000000', 1e18],
  ['1.50000000000000000', 1.5],
  ['0.30000000000000004', 0.300_000_000_000_000_04],
  ['1.7976931348623157e308', Number.MAX_VALUE],
  ['0.00000000000000000', 0],
  ['-0', -0],
])('the number %s is %j', (json, value) => {
  const text = `{"before":"1234567890123456789","list":[ ${json} ,1],"amount":${json}}`;
  expect(parse(text)).toEqual({
    before: '1234567890123456789',
    list: [value, 1],
    amount: value,
  });
});

test('texts stay as they are, whatever digits, quotes and backslashes they have', () => {
  const value = {
    'key 1234567890123456789': 'a: 1234567890123456789, "9007199254740993" \\',
    next: ['\\"', '\\\\', 'é😀 : 1e999'],
    end: 1.5,
  };
  expect(parse(JSON.stringify(value))).toEqual(value);
});

test('a long number is found wherever it stands', () => {
  for (let before = 0; before < 20; before += 1)
    expect(parse(`{"${'a'.repeat(before)}":1234567890123456789}`)).toEqual({
      ['a'.repeat(before)]: '1234567890123456789',
    });
});

test('what is no JSON is no JSON with long digits either', () => {
  for (const text of ['{"a":01234567890123456789}', '[1234567890123456789', '"1234567890123456789'])
    expect(() => parse(text)).toThrow(SyntaxError);
});
