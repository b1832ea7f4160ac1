import { parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { checkMerging } from '../src/documents/document-limits.ts';

const LIMITS = { operations: 3, pairs: 100, merged: 300 };
const check = (text: string) => () => checkMerging(parse(text), LIMITS);
const list = (times: number, part: (at: number) => string) =>
  Array.from({ length: times }, (_, at) => part(at)).join(' ');

describe.each([
  ['fields of one name', (times: number) => `{ ${list(times, () => 'a')} }`],
  [
    'fields that an alias gives one name',
    (times: number) => `{ ${list(times, (at) => `a: b${at}`)} }`,
  ],
  ['fields with one parent', (times: number) => `{ p { ${list(times, () => 'a')} } }`],
  [
    'fields whose parents merge',
    (times: number) => `{ ${list(times, (at) => `p${at % 2}: p { a }`)} }`,
    2,
  ],
  [
    'fields in inline fragments',
    (times: number) => `{ ${list(times, () => '... on Query { a }')} }`,
  ],
  ['fragments in one selection', (times: number) => `{ ${spreads(times)} } ${fragments(times)}`],
  [
    'fragments in an unused fragment',
    (times: number) => `{ z } fragment All on Query { ${spreads(times)} } ${fragments(times)}`,
  ],
])('%s', (_name, make, factor = 1) => {
  test('are accepted up to the maximum of compared pairs', () => {
    expect(check(make(14))).not.toThrow();
  });
  test('are rejected beyond the maximum', () => {
    expect(check(make(15 * factor))).toThrow('The document is too large: more than 100 pairs');
  });
});

test('the number of operations is limited', () => {
  expect(check(list(3, (at) => `query Q${at} { a }`))).not.toThrow();
  expect(check(list(4, (at) => `query Q${at} { a }`))).toThrow('it has more than 3 operations');
});

test('selections are counted at each position, and identical ones once', () => {
  const alike = (depth: number) =>
    `{ ...F0 } ${list(depth, (at) => `fragment F${at} on Query { a { ...F${at + 1} } b { ...F${at + 1} } }`)}`;
  expect(check(alike(50))).not.toThrow();
  const wide = `{ ${list(20, (at) => `a${at} { b ...F }`)} } fragment F on T { ${list(13, (at) => `c${at}`)} }`;
  expect(check(wide)).toThrow('more than 300 selections');
});

test.each([
  ['of a fragment that is defined', '{ a } fragment F on T { f }'],
  ['of an unknown fragment', '{ a }'],
])('repeated spreads %s are counted at each position, as fields are', (_what, rest) => {
  const repeated = (times: number) =>
    `query Q { ${list(10, (at) => `a${at} { ...S }`)} } fragment S on T { ${list(times, () => '...F')} } query R ${rest}`;
  expect(check(repeated(20))).not.toThrow();
  expect(check(repeated(30))).toThrow('more than 300 selections');
});

test('other errors are left to validation', () => {
  expect(check('{ ...F } fragment F on Query { a { ...F } }')).not.toThrow();
  expect(check('{ ...F } fragment F on Query { ...G } fragment G on Query { ...F }')).not.toThrow();
  expect(check('{ ...Missing }')).not.toThrow();
});

function spreads(times: number): string {
  return list(times, (at) => `...F${at}`);
}

function fragments(times: number): string {
  return list(times, (at) => `fragment F${at} on Query { f${at} }`);
}
