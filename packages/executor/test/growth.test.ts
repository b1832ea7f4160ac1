import { buildSchema, getOperationAST, parse, specifiedRules, validate } from 'graphql';
import { expect, test } from 'vitest';
import { expectLinear } from '../../../test/support/growth.ts';
import { checkLimits, DEFAULT_LIMITS, nothingSpent } from '../src/cost/operation-limits.ts';
import {
  checkFragmentDepth,
  checkMerging,
  checkNesting,
} from '../src/documents/document-limits.ts';
import { createDocumentStore } from '../src/documents/document-store.ts';
import { jsonLength } from '../src/json/size.ts';
import { GROWING_DOCUMENTS, list, repeat } from '../src/testing/growing-documents.ts';

const schema = buildSchema(`
  type Query { node(id: ID): Node providers: [Node] }
  type Node { id: ID name: String }
`);

/** Without these limits, because they would reject the document before its growth shows. */
const UNBOUNDED = {
  ...DEFAULT_LIMITS,
  operations: Number.POSITIVE_INFINITY,
  pairs: Number.POSITIVE_INFINITY,
};

test.each(GROWING_DOCUMENTS)('the work before validation is linear in %s', (_name, make) => {
  const documents = (size: number) => parse(make(size));
  expectLinear(make, (text) => checkNesting(text, Number.POSITIVE_INFINITY));
  if (!isDocument(make)) return;
  // Its own calls nest as deep as the limit lets selections.
  expectLinear(documents, (document) => checkFragmentDepth(document, DEFAULT_LIMITS.nesting));
  expectLinear(documents, (document) => checkMerging(document, UNBOUNDED));
  for (const maxTokens of [DEFAULT_LIMITS.documentTokens, 2_000]) {
    expectLinear(make, (text) => {
      const store = createDocumentStore(schema, { limits: UNBOUNDED });
      const { document } = store.parse(text, 'app', maxTokens);
      const operation = getOperationAST(document);
      const [variables, responseBytes] = [{}, 1_000_000];
      if (operation)
        checkLimits({
          schema,
          document,
          operation,
          variables,
          spent: nothingSpent(),
          responseBytes,
        });
    });
  }
});

test('validation stops at a maximum of comparisons and errors, for any document', () => {
  for (const text of [
    `{ ${'providers { name } '.repeat(10_000)} }`,
    `{ ${list(5_000, (at) => `a: node(id: "${at}") { id }`)} }`,
    `{ ${'nothing '.repeat(20_000)} }`,
  ]) {
    const errors = validate(schema, parse(text), specifiedRules);
    expect(errors.length).toBeLessThanOrEqual(101);
  }
});

test('the size of JSON is estimated in linear time', () => {
  expectLinear(repeat('\u0001"'), (text) => jsonLength({ text }));
});

function isDocument(make: (size: number) => string): boolean {
  try {
    parse(make(3));
    return true;
  } catch {
    return false;
  }
}
