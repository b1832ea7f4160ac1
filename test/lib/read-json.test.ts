import { expect, test } from 'vitest';
import { readJsonBody } from '../../src/lib/json.ts';
import { fc } from '../support/fast-check.ts';

const readBytes = (bytes: Buffer) => readJsonBody(bytes);
const read = (text: string) => readBytes(Buffer.from(text));
/** Longer than one piece of work. */
const toLong = (text: string) => `[${text},"${'x'.repeat(200_000)}"]`;

test('any value that JSON can write is read back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.boolean(), async (value, isSpaced) => {
      const text = JSON.stringify(value, null, isSpaced ? 1 : undefined);
      expect(await read(text)).toEqual({ value: JSON.parse(text) });
    }),
  );
});

test.each([
  ['{"a":1,"a":2}'],
  ['{"a" :1,"a":2}'],
  ['{"a":1,"a" :2}'],
  ['{"a"\n:1,"b\\":":0,"a":2}'],
  ['[{"b":{"a":1,"\\u0061":"x\\":"}}]'],
])('a duplicate key in an object is detected: %s', async (text) => {
  const problem = expect.stringMatching(/^names ".*" twice in one object$/);
  expect(await read(text)).toMatchObject({ problem });
  expect(await read(toLong(text))).toMatchObject({ problem });
});

test.each([
  ['the same key in two objects', '[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
  ['what looks like a key in a string', '{"a":"\\"b\\":\\"b\\":"}', { a: '"b":"b":' }],
  ['a byte order mark in front', '\ufeff{}', {}],
  ['the replacement character itself', '"\ufffd"', '\ufffd'],
])('%s is valid', async (_what, text, value) => {
  expect(await read(text)).toEqual({ value });
});

test.each([
  ['is empty; it must be JSON', Buffer.from(' ')],
  ['is not JSON', Buffer.from('{')],
  ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['contains half of a surrogate pair, which is no character', Buffer.from('{"a":["\\ud800"]}')],
  ['contains half of a surrogate pair, which is no character', Buffer.from('{"\\udc00":1}')],
])('%s gives an error that says so', async (problem, bytes) => {
  expect(await readBytes(bytes)).toMatchObject({ problem });
});

test.each([
  ['is not JSON', toLong('{')],
  ['is not JSON', `${toLong('1')}x`],
  ['contains half of a surrogate pair, which is no character', toLong('"\\ud800"')],
  ['names "a" twice in one object', `{"a":1,"b":"${'x'.repeat(200_000)}","a":2}`],
])('a long body that %s gives an error that says so', async (problem, text) => {
  expect(await read(text)).toMatchObject({ problem });
});

test('a body can be nested deeply, but not a long one', async () => {
  const nest = (depth: number) => `${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`;
  expect(await read(nest(10_000))).toHaveProperty('value');
  expect(await read(nest(50_000))).toEqual({ problem: 'is nested deeper than 1000 levels' });
});
