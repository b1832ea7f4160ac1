import { JsonBytes, shareBytes } from '@crossbook/executor';
import {
  executeSync,
  GraphQLError,
  type GraphQLSchema,
  getIntrospectionQuery,
  parse,
  stripIgnoredCharacters,
  type ValidationRule,
} from 'graphql';

/**
 * Caches responses to the standard introspection queries of GraphiQL, code generators and gateways: those that
 * graphql itself generates, with any options and white space. The set is closed, so no client input is cached.
 */
export function createKnownIntrospection(schema: GraphQLSchema): KnownIntrospection {
  /** Responses by query. Undefined: not requested yet. */
  let responses: Map<string, Uint8Array | undefined> | undefined;

  return ({ query, operationName }) => {
    if (
      (operationName ?? INTROSPECTION_NAME) !== INTROSPECTION_NAME ||
      query.length > MAX_LENGTH ||
      !query.includes(INTROSPECTION_NAME)
    )
      return undefined;
    responses ??= new Map(
      listVariants().map((variant) => [stripIgnoredCharacters(variant), undefined]),
    );
    const normalized = normalize(query);
    if (normalized === undefined || !responses.has(normalized)) return undefined;
    const response = responses.get(normalized) ?? execute(normalized);
    responses.set(normalized, response);
    return new JsonBytes([response]);
  };

  function execute(normalized: string): Uint8Array {
    const { data } = executeSync({ schema, document: parse(normalized) });
    return shareBytes(Buffer.from(JSON.stringify(data)));
  }
}

/** Undefined if it cannot be parsed. */
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
/** Twice the length of the longest query. */
const MAX_LENGTH = 8_192;

/** The operation name of all standard queries. */
export const INTROSPECTION_NAME = 'IntrospectionQuery';

/** Undefined for every other query. */
export type KnownIntrospection = (operation: {
  readonly query: string;
  readonly operationName?: string | null | undefined;
}) => JsonBytes | undefined;

/** Root fields that reveal the schema; `_service` is for gateways. */
const REVEALS_SCHEMA = ['__schema', '_service'];

/**
 * Fields that reveal no more than an invalid fragment would: that a type of this name exists. The audits of
 * graphql-http need them.
 */
const HARMLESS = ['__typename', 'name', 'kind'];

/** Disables introspection: of the whole schema and of single types. */
export const noIntrospection: ValidationRule = (context) => ({
  Field(node) {
    const reveals =
      REVEALS_SCHEMA.includes(node.name.value) ||
      (context.getParentType()?.name === '__Type' && !HARMLESS.includes(node.name.value));
    if (reveals)
      context.reportError(new GraphQLError('Introspection is switched off.', { nodes: node }));
  },
});
