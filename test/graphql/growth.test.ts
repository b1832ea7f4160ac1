import { createExecutor, nothingSpent } from '@crossbook/executor';
import { GROWING_DOCUMENTS, list, repeat } from '@crossbook/executor/testing';
import { getIntrospectionQuery, parse } from 'graphql';
import { test } from 'vitest';
import { z } from 'zod';
import { createKnownIntrospection } from '../../src/graphql/engine/introspection.ts';
import { checkOperation, DEFAULT_LIMITS } from '../../src/graphql/engine/limits.ts';
import { readOperationLogFields } from '../../src/graphql/engine/operation-run.ts';
import { redactMessage } from '../../src/graphql/over-http/errors.ts';
import { readHash } from '../../src/graphql/over-http/persisted-operations.ts';
import { chooseMediaType } from '../../src/graphql/over-http/read-request.ts';
import { entitySchema } from '../../src/graphql/schema.ts';
import { toSubgraph } from '../../src/graphql/subgraph/to-subgraph.ts';
import { findDuplicateKey, isJson } from '../../src/lib/json.ts';
import { readQuery } from '../../src/rest/read-input.ts';
import { toReadableLine } from '../../src/telemetry/logger.ts';
import { expectLinear } from '../support/growth.ts';

const schema = toSubgraph(entitySchema);

/** Client text that would make a backtracking scan restart at every position when it is repeated. */
const PHRASES = [
  'cannot represent ',
  'cannot represent a: ',
  'Expected value of type "',
  'Expected value of type "a", found ',
  'Expected value of type ""',
  'found String ',
  'found BlockString found ',
  ' Did you mean ',
  ' Did you mean ?',
  ' at "',
  ' at "a"; ',
  'Variable "$a" got invalid value ',
];

test.each(PHRASES)('the message of an error is built in linear time for %j', (phrase) => {
  const options = { suggestions: false };
  expectLinear(repeat(phrase), (message) => redactMessage({ message }, options));
  expectLinear(repeat(phrase), (text) => {
    const reason = `; ${text}`;
    const message = `Variable "$a" got invalid value ${text}${reason}`;
    return redactMessage({ message, originalError: { message: text } }, options);
  });
});

/** Without these limits, because they would reject the document before its growth shows. */
const UNBOUNDED = {
  ...DEFAULT_LIMITS,
  operations: Number.POSITIVE_INFINITY,
  pairs: Number.POSITIVE_INFINITY,
};

test.each(GROWING_DOCUMENTS)('the work before validation is linear in %s', (_name, make) => {
  const documents = (size: number) => parse(make(size));
  if (!isDocument(make)) return;
  expectLinear(documents, (document) => readOperationLogFields({ ...document }, 'Q0'));
  for (const isCallerKnown of [true, false]) {
    expectLinear(make, (text) => {
      const executor = createExecutor(schema, { limits: UNBOUNDED });
      const { document } = isCallerKnown
        ? executor.parse(text, 'app')
        : executor.parse(text, undefined, DEFAULT_LIMITS.unauthenticatedTokens);
      const [operationName, variables, method] = [undefined, {}, 'POST'];
      const asked = { schema, document, operationName, variables, method, isCallerKnown };
      checkOperation({
        ...asked,
        limits: DEFAULT_LIMITS,
        spent: nothingSpent(),
        responseBytes: 1_000_000,
      });
    });
  }
});

test('headers, hashes, queries, JSON and log lines are read in linear time', () => {
  const shape = z.strictObject({ a: z.array(z.string()).optional(), n: z.int().optional() });
  const known = createKnownIntrospection(schema);
  expectLinear(repeat('text/html;q=0.1 ,'), chooseMediaType);
  expectLinear(repeat(';charset=utf-8 '), (text) => isJson(`application/json${text}`));
  expectLinear(repeat('sha256:'), (documentId) => readHash({ documentId, extensions: undefined }));
  expectLinear(
    (size) => new URLSearchParams(list(size, (at) => `n${at}=1&`)),
    (parameters) => readQuery(parameters, shape),
  );
  expectLinear(repeat('a=1&'), (text) => readQuery(new URLSearchParams(text), shape));
  expectLinear(repeat('{"a":'), findDuplicateKey);
  expectLinear((size) => `{${list(size, (at) => `"k${at}":"\\"",`)}"z":1}`, findDuplicateKey);
  expectLinear((size) => JSON.stringify({ customer: '\u009b'.repeat(size) }), toReadableLine);
  expectLinear(
    (size) => `${getIntrospectionQuery()}${' '.repeat(size)}`,
    (query) => known({ query, operationName: undefined }),
  );
});

function isDocument(make: (size: number) => string): boolean {
  try {
    parse(make(3));
    return true;
  } catch {
    return false;
  }
}
