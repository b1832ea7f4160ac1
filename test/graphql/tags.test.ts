import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  Kind,
  parse,
} from 'graphql';
import { expect, test } from 'vitest';
import { apiSchema, entitySchema } from '../../src/graphql/schema.ts';
import { printSubgraph } from '../../src/graphql/subgraph/to-subgraph.ts';
import { createTestServer } from './test-server.ts';

/** What a contract for browsers leaves out is exactly what a browser's token cannot do. */
test.each([
  ['query', apiSchema.getQueryType()],
  ['mutation', apiSchema.getMutationType()],
] as const)(
  'of each %s field the tag `api-key` says whether a customer token is refused',
  async (kind, type) => {
    const { post } = await createTestServer();
    const refused: string[] = [];
    for (const field of Object.values(type?.getFields() ?? {})) {
      const given = field.args.filter((arg) => isRequiredArgument(arg) || DEFAULTED.has(arg.name));
      const query = `${kind} { ${field.name}${write(given)} ${isLeafType(getNamedType(field.type)) ? '' : '{ __typename }'} }`;
      const response = await post({ query }, { authorization: 'Bearer demo-token' });
      const { errors = [] } = (await response.json()) as Answer;
      const codes = errors.map(({ extensions }) => extensions.code);
      // A token that was issued with canList may list records, and one with canWrite may write them.
      const isForOthers = errors.some(({ message }) => /canList|canWrite/.test(message));
      if (codes.includes('FORBIDDEN') && !isForOthers) refused.push(field.name);
      // The field was reached, so the document was valid.
      else expect([field.name, codes.includes('BAD_REQUEST')]).toEqual([field.name, false]);
    }
    expect(refused).toEqual(tagged(type, 'api-key'));
    expect(refused.length).toBeGreaterThan(2);
  },
);

test('raw data has a separate tag', () => {
  const contact = entitySchema.getType('Contact');
  expect(tagged(contact as GraphQLObjectType, 'raw-data')).toEqual(['rawData']);
});

function tagged(type: GraphQLObjectType | null | undefined, tag: string): readonly string[] {
  const { definitions } = parse(printSubgraph(entitySchema, { relayNode: true }));
  return definitions
    .flatMap((node) =>
      node.kind === Kind.OBJECT_TYPE_DEFINITION && node.name.value === type?.name
        ? (node.fields ?? []).filter(({ directives = [] }) =>
            directives.some(
              ({ name, arguments: [given] = [] }) =>
                name.value === 'tag' &&
                given?.value.kind === Kind.STRING &&
                given.value.value === tag,
            ),
          )
        : [],
    )
    .map(({ name }) => name.value);
}

function write(args: readonly GraphQLArgument[]): string {
  return args.length === 0
    ? ''
    : `(${args.map(({ name, type }) => `${name}: ${sample(type)}`).join(', ')})`;
}

/** The smallest value that is valid. */
function sample(type: GraphQLInputType): string {
  if (isNonNullType(type)) return sample(type.ofType);
  if (isListType(type)) return `[${sample(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    // A token may search by an email, and may not list.
    const [one = fields[0]] = fields.filter(({ name }) => name === 'email');
    // A filter of conditions that can be combined needs one of them.
    const isOne = type.isOneOf || type.name.endsWith('Filter');
    const given = isOne && one ? [one] : fields.filter(isRequiredInputField);
    return `{ ${given.map((field) => `${field.name}: ${sample(field.type)}`).join(', ')} }`;
  }
  return SAMPLES[type.name] ?? '"demo"';
}

/** Optional arguments that are passed all the same: without one the header would be missing. */
const DEFAULTED: ReadonlySet<string> = new Set(['provider']);
const SAMPLES: Readonly<Record<string, string>> = {
  Int: '1',
  Boolean: 'true',
  DateTime: '"2025-01-31T09:30:00Z"',
};

interface Answer {
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions: { readonly code: string };
  }[];
}
