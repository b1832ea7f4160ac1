import { expect, test } from 'vitest';
import { readJsonBytes } from '../../src/lib/json.ts';
import { fc } from '../support/fast-check.ts';

const read = (text: string) => readJsonBytes(Buffer.from(text));

test('any value that JSON can write is read back unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.boolean(), (value, isSpaced) => {
      const text = JSON.stringify(value, null, isSpaced ? 1 : undefined);
      expect(read(text)).toEqual({ value: JSON.parse(text) });
    }),
  );
});

test.each([
  ['{"a":1,"a":2}'],
  ['{"a" :1,"a":2}'],
  ['{"a":1,"a" :2}'],
  ['{"a"\n:1,"b\\":":0,"a":2}'],
  ['[{"b":{"a":1,"\\u0061":"x\\":"}}]'],
])('a duplicate key in an object is detected: %s', (text) => {
  expect(read(text)).toMatchObject({
    problem: expect.stringMatching(/^names ".*" twice in one object$/),
  });
});

test.each([
  ['the same key in two objects', '[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
  ['what looks like a key in a string', '{"a":"\\"b\\":\\"b\\":"}', { a: '"b":"b":' }],
  ['a byte order mark in front', '\ufeff{}', {}],
  ['the replacement character itself', '"\ufffd"', '\ufffd'],
])('%s is valid', (_what, text, value) => {
  expect(read(text)).toEqual({ value });
});

test.each([
  ['is empty; it must be JSON', Buffer.from(' ')],
  ['is not JSON', Buffer.from('{')],
  ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['contains half of a surrogate pair, which is no character', Buffer.from('{"a":["\\ud800"]}')],
  ['contains half of a surrogate pair, which is no character', Buffer.from('{"\\udc00":1}')],
])('%s gives an error that says so', (problem, bytes) => {
  expect(readJsonBytes(bytes)).toMatchObject({ problem });
});

test('a body can be nested as deeply as its length allows', () => {
  const text = `${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}`;
  expect(read(text)).toHaveProperty('value');
});
