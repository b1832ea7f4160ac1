import { buildSchema, type GraphQLError, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { expectShortPiece } from '../../../test/support/calibrate.ts';
import { expectLinear } from '../../../test/support/growth.ts';
import { readVariables } from '../src/execution/variables.ts';

const schema = buildSchema(`
  input Filter @oneOf { email: String emails: [String!] }
  input Cancellation { id: ID! }
  enum Mode { POPUP REDIRECT }
  type Query { a(filter: Filter, cancellation: Cancellation, mode: Mode): Int }
`);

describe('an invalid variable is reported with its path and the reason, and without its value', () => {
  test.each<readonly [string, unknown, readonly string[]]>([
    ['Int', 'secret', ['The variable `$a` must be an integer from -2147483648 to 2147483647.']],
    ['String!', null, ['The variable `$a` must not be null.']],
    ['String!', undefined, ['The variable `$a` is required.']],
    ['[String!]', ['x', 7, null], ['[1]` must be a string.', '[2]` must not be null.']],
    ['Boolean', 'secret', ['must be true or false.']],
    ['ID', ['secret'], ['must be an ID: a string or an integer.']],
    ['Mode', 'secret', ['must be one of: POPUP, REDIRECT.']],
    ['Filter', 'secret', ['must be an object of Filter, which has email, emails.']],
    ['Filter', {}, ['must have exactly one of the fields email, emails, and has none.']],
    ['Filter', { email: null }, ['The variable `$a.email` must not be null.']],
    ['Filter', { emails: ['x', 7] }, ['The variable `$a.emails[1]` must be a string.']],
    [
      'Filter',
      { email: 'x', mail: 1 },
      ['`$a.mail` is not a field of Filter, which has email, emails.'],
    ],
    ['Cancellation', {}, ['The variable `$a.id` is required.']],
    ['Query', 'secret', ['The variable `$a` must have an input type.']],
  ])('%s: %j', (type, value, expected) => {
    const given = value === undefined ? {} : { a: value };
    const messages = read(`query ($a: ${type}) { __typename }`, given).map((one) => one.message);
    expect(messages).toHaveLength(expected.length);
    for (const [index, text] of expected.entries()) expect(messages[index]).toContain(text);
    expect(messages.join()).not.toContain('secret');
  });
});

/** A megabyte each, and invalid in as many places as possible. */
const LARGE: readonly (readonly [string, string, (size: number) => unknown])[] = [
  ['unknown fields', 'Filter!', (size) => Object.fromEntries(keys(size, 'x'))],
  ['long unknown fields', 'Filter!', (size) => ({ ['k'.repeat(8 * size)]: 1 })],
  ['items of another type', '[String!]', (size) => Array(size).fill(7)],
  ['null items', '[String!]', (size) => Array(size).fill(null)],
  ['objects for strings', '[String!]', (size) => Array(size).fill({ a: { b: { c: 1 } } })],
  ['a long string for a number', 'Int', (size) => 'x'.repeat(8 * size)],
  ['a long string for an enum value', 'Mode', (size) => 'x'.repeat(8 * size)],
  ['a list for a string', 'String', (size) => keys(size, 'x')],
  ['a list for an object', 'Filter', (size) => keys(size, 'x')],
  ['valid strings', '[String!]', (size) => Array(size).fill('x')],
];

describe.each(LARGE)('a variable with %s', (_what, type, make) => {
  const query = `query ($a: ${type}) { __typename }`;

  test('is read in linear time, and one of a megabyte in less than 50 ms', () => {
    expectLinear(make, (a) => read(query, { a }));
    const a = make(120_000);
    expectShortPiece(() => read(query, { a }));
  });

  test('causes short errors, of which the first 20 are reported', () => {
    const errors = read(query, { a: make(1_000) });
    expect(errors.length).toBeLessThanOrEqual(20);
    for (const { message } of errors) expect(message.length).toBeLessThan(500);
  });
});

function read(query: string, given: Record<string, unknown>): readonly GraphQLError[] {
  const { variableDefinitions } = parse(query).definitions[0] as OperationDefinitionNode;
  const result = readVariables(schema, variableDefinitions)(given);
  return 'errors' in result ? result.errors : [];
}

function keys(size: number, value: unknown): readonly (readonly [string, unknown])[] {
  return Array.from({ length: size }, (_, at) => [`k${at}`, value] as const);
}
