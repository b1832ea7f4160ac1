import { expect, test } from 'vitest';
import { isStorable, isStorableJson } from '../../src/lib/text.ts';

test.each([
  '',
  'a',
  '\u0001',
  '\\u0000',
  '\\\\u0000',
  '\\',
  '\\ud800',
  '\u{1F600}',
  'ud800',
  '\ue000',
])('%j can be stored, by itself and in JSON', (text) => {
  expect([isStorable(text), isStorableJson(JSON.stringify({ [text]: [text] }))]).toEqual([
    true,
    true,
  ]);
});

test.each(['\0', 'a\0b', '\\\0', '\\\\\0', '\ud800', '\udfff', '\\\udc00', '\u{1F600}\ud83d'])(
  '%j cannot be stored',
  (text) => {
    expect([isStorable(text), isStorableJson(JSON.stringify([text]))]).toEqual([false, false]);
  },
);
