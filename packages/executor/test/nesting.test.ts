import { parse } from 'graphql';
import { expect, test } from 'vitest';
import { checkFragmentDepth, checkNesting } from '../src/documents/document-limits.ts';

test.each([
  ['selections', '{a'.repeat(4)],
  ['lists', '{a(b:[[['],
  ['objects', '{a(b:{c:{'],
  ['brackets behind a string', '{a(b:"}}}}" c:[{'],
  ['brackets behind a string with a quote inside', '{a(b:"\\"}}}}" c:[{'],
  ['brackets behind a block', '{a(b:"""}}"}}\\"""}}""" c:[{'],
  ['brackets behind a comment', '{a(b: #}}}}\n [{'],
  ['brackets behind a comment that ends with a carriage return', '{a(b: #}}}}\r [{'],
  ['brackets behind a string that does not end', '{a(b:"}}}}\n [{'],
  ['brackets behind a string that does not end before a carriage return', '{a(b:"}}}}\r [{'],
])('%s that nest too deeply are rejected', (_what, source) => {
  expect(() => checkNesting(source, 3)).toThrow('deeper than 3');
});

test.each([
  ['a document as usual', '{a(b:{c:1}){d}}'],
  ['as many in a row', '{a{b}c{d}e{f}g{h}}'],
  ['brackets in a string', '{a(b:"{{{{[[[[")}'],
  ['brackets in a block', '{a(b:"""{{{{ \\""" [[[[""")}'],
  ['brackets in a comment', '# {{{{\n{a}'],
  ['an empty string', '{a(b:"")}'],
])('%s are accepted', (_what, source) => {
  expect(() => checkNesting(source, 3)).not.toThrow();
});

const chain = (length: number, spread: (next: string) => string) =>
  Array.from({ length }, (_, at) => `fragment F${at} on Query { ${spread(`...F${at + 1}`)} }`).join(
    ' ',
  );
const check = (text: string) => () => checkFragmentDepth(parse(text), 100);

test.each([
  ['each spreads the next', (next: string) => next],
  ['each spreads the next twice', (next: string) => `${next} ${next}`],
])('fragments of which %s can nest up to the limit', (_what, spread) => {
  const end = (at: number) => `fragment F${at} on Query { a }`;
  expect(check(`{ ...F0 } ${chain(98, spread)} ${end(98)}`)).not.toThrow();
  expect(check(`{ ...F0 } ${chain(99, spread)} ${end(99)}`)).toThrow('nest deeper than 100');
  // Also when no operation spreads them, and in any order.
  expect(check(`${end(100)} ${chain(100, spread)} { a }`)).toThrow('nest deeper than 100');
});

test('a fragment that contains itself is left to validation', () => {
  expect(
    check(`{ ...F0 } ${chain(3, (next) => next)} fragment F3 on Query { ...F0 }`),
  ).not.toThrow();
});
