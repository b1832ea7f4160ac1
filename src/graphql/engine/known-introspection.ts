import {
  executeSync,
  GraphQLError,
  type GraphQLSchema,
  getIntrospectionQuery,
  parse,
  stripIgnoredCharacters,
  type ValidationRule,
} from 'graphql';
import { JsonBytes } from '../../lib/json.ts';

/**
 * The questions that GraphiQL, code generators and gateways ask of every schema: those that graphql itself writes, whatever
 * their options, spaces and line breaks. Each is answered once for all who ask it. The set is closed, so nothing that a
 * client sends is kept.
 */
export function createKnownIntrospection(schema: GraphQLSchema): KnownIntrospection {
  const answers = new Map<string, Uint8Array>();
  let questions: ReadonlySet<string> | undefined;

  return ({ query, operationName }) => {
    if (
      (operationName ?? INTROSPECTION_NAME) !== INTROSPECTION_NAME ||
      query.length > MAX_LENGTH ||
      !query.includes(INTROSPECTION_NAME)
    )
      return undefined;
    questions ??= new Set(listVariants().map(stripIgnoredCharacters));
    const question = normalize(query);
    if (question === undefined || !questions.has(question)) return undefined;
    const answer = answers.get(question) ?? answerOf(question);
    answers.set(question, answer);
    return new JsonBytes([answer]);
  };

  function answerOf(question: string): Uint8Array {
    const { data } = executeSync({ schema, document: parse(question) });
    return Buffer.from(JSON.stringify(data));
  }
}

/** Undefined where it is not even a document. */
function normalize(query: string): string | undefined {
  try {
    return stripIgnoredCharacters(query);
  } catch {
    return undefined;
  }
}

function listVariants(): readonly string[] {
  return Array.from({ length: 2 ** OPTIONS.length }, (_, bits) =>
    getIntrospectionQuery(
      Object.fromEntries(OPTIONS.map((option, index) => [option, ((bits >> index) & 1) === 1])),
    ),
  );
}

const OPTIONS = [
  'descriptions',
  'specifiedByUrl',
  'directiveIsRepeatable',
  'schemaDescription',
  'inputValueDeprecation',
  'oneOf',
] as const;
/** Twice the longest of them. */
const MAX_LENGTH = 8_192;

/** What all of them are called. */
export const INTROSPECTION_NAME = 'IntrospectionQuery';

/** Undefined for every other question. */
export type KnownIntrospection = (operation: {
  readonly query: string;
  readonly operationName?: string | null | undefined;
}) => JsonBytes | undefined;

/** A gateway's question has the same answer. */
const TELLS_ALL = ['__schema', '_service'];

/** What a wrong fragment would tell as well: that a type of this name is there. */
const HARMLESS = ['__typename', 'name', 'kind'];

/** The schema is not told: neither the whole of it nor what is in a type. */
export const noIntrospection: ValidationRule = (context) => ({
  Field(node) {
    const tells =
      TELLS_ALL.includes(node.name.value) ||
      (context.getParentType()?.name === '__Type' && !HARMLESS.includes(node.name.value));
    if (tells) context.reportError(new GraphQLError('Introspection is switched off.', { nodes: node }));
  },
});
