import { inspect } from 'node:util';
import {
  buildSchema,
  GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isEnumType,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql';

/** Accepts every kind of input, and returns an exact description of the arguments of its resolvers. */
export function createInputSchema(): GraphQLSchema {
  const schema = buildSchema(SDL);
  const mood = schema.getType('Mood');
  for (const [index, value] of (isEnumType(mood) ? mood.getValues() : []).entries())
    Object.assign(value, { value: MOODS[index] });
  Object.assign(schema.getType('Strict') ?? {}, {
    parseValue: parseStrict,
    parseLiteral: ({ value }: { value?: unknown }) => parseStrict(value),
  });
  Object.assign(schema.getType('Printed') ?? {}, {
    parseValue: describe,
    parseLiteral: (node: ValueNode, variables: object) =>
      describe(valueFromASTUntyped(node, { ...variables })),
  });
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) field.resolve = tell;
  return schema;
}

/** Includes the prototype and the order of keys, and distinguishes undefined from absent and -0 from 0. */
export function describe(value: unknown): string {
  return inspect(value, {
    depth: null,
    maxArrayLength: null,
    maxStringLength: null,
    breakLength: 120,
  });
}

function tell(
  _source: unknown,
  args: unknown,
  _context: unknown,
  { variableValues }: GraphQLResolveInfo,
): string {
  return describe({ args, variableValues });
}

function parseStrict(value: unknown): unknown {
  if (value === 'date') return new Date(0);
  if (value === 'nothing') return undefined;
  if (value === 'refused') throw new GraphQLError('Strict refuses.');
  if (value !== 'fine') throw new Error('Strict is broken.');
  return value;
}

/** The internal values of the enum. */
const MOODS = [0, { kind: 'sad' }, 'calm'];

const TYPES = {
  int: 'Int',
  sureInt: 'Int!',
  float: 'Float',
  string: 'String',
  sureString: 'String!',
  boolean: 'Boolean',
  id: 'ID!',
  mood: 'Mood',
  sureMood: 'Mood!',
  anything: 'Anything',
  strict: 'Strict',
  printed: 'Printed',
  strings: '[String!]!',
  ids: '[ID]',
  matrix: '[[Int!]]',
  moods: '[Mood!]',
  cube: '[[Strict]!]!',
  point: 'Point',
  surePoint: 'Point!',
  points: '[Point!]',
  choice: 'Choice',
  choices: '[Choice!]',
  tree: 'Tree',
  trees: '[Tree]!',
  anythings: '[Anything!]',
  strange: 'Strange',
};

const FIELDS = Object.entries(TYPES).map(
  ([name, type]) => `${name}(a: ${type}, b: ${type}): String`,
);

const SDL = /* GraphQL */ `
  enum Mood { GLAD SAD CALM }
  scalar Anything
  scalar Strict
  scalar Printed
  input Point { x: Int! y: Int! = 2 label: String = "ß\\u2028" }
  input Strange { constructor: ID other: Boolean! = true }
  input Choice @oneOf { id: ID tags: [String!] spot: Point tree: Tree mood: Mood }
  input Tree {
    value: Float
    mood: Mood = SAD
    moods: [Mood!]! = [GLAD]
    children: [Tree!]
    choice: Choice
    spot: Point = { x: 1 }
    any: Anything
    strict: Strict
    printed: Printed
    matrix: [[Int!]!]
  }
  type Query {
  ${FIELDS.join('\n  ')}
  defaults(
    int: Int! = 3, text: String = "text", none: String = null, moods: [Mood!]! = [GLAD], tree: Tree = { value: 1 }
    any: Anything = { a: [1] }
  ): String
  required(int: Int!, tags: [String!]!, choice: Choice!): String!
  }
`;
