import { expect, test } from 'vitest';
import { checkNesting } from '../../src/graphql/nesting.ts';

test.each([
  ['selections', '{a'.repeat(4)],
  ['lists', '{a(b:[[['],
  ['objects', '{a(b:{c:{'],
  ['brackets behind a string', '{a(b:"}}}}" c:[{'],
  ['brackets behind a string with a quote inside', '{a(b:"\\"}}}}" c:[{'],
  ['brackets behind a block', '{a(b:"""}}"}}\\"""}}""" c:[{'],
  ['brackets behind a comment', '{a(b: #}}}}\n [{'],
  ['brackets behind a string that does not end', '{a(b:"}}}}\n [{'],
])('%s that nest too deeply are refused', (_what, source) => {
  expect(() => checkNesting(source, 3)).toThrow('deeper than 3');
});

test.each([
  ['a document as usual', '{a(b:{c:1}){d}}'],
  ['as many in a row', '{a{b}c{d}e{f}g{h}}'],
  ['brackets in a string', '{a(b:"{{{{[[[[")}'],
  ['brackets in a block', '{a(b:"""{{{{ \\""" [[[[""")}'],
  ['brackets in a comment', '# {{{{\n{a}'],
  ['an empty string', '{a(b:"")}'],
])('%s may pass', (_what, source) => {
  expect(() => checkNesting(source, 3)).not.toThrow();
});
