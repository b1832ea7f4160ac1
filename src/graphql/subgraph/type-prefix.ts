import { MapperKind, mapSchema, renameType } from '@graphql-tools/utils';
import {
  GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInterfaceType,
  isScalarType,
  Kind,
  parse,
  visit,
} from 'graphql';
import { apiSchema } from '../schema.ts';

/** The same schema with a prefix in front of the types that another subgraph may have by the same name. */
export function prefixTypes(schema: GraphQLSchema, prefix: string): GraphQLSchema {
  if (prefix === '') return schema;
  const rename = (type: GraphQLNamedType) => (isPrefixed(type) ? renameType(type, prefix + type.name) : type);
  return mapSchema(schema, {
    [MapperKind.TYPE]: (type) =>
      isInterfaceType(type) ? rename(prefixResolved(type, prefix)) : rename(type),
    [MapperKind.ROOT_OBJECT]: () => undefined,
  });
}

/** An operation that was written for the names without the prefix, comments and all. */
export function prefixOperation(operation: string, prefix: string): string {
  const places: number[] = [];
  visit(parse(operation), {
    [Kind.NAMED_TYPE]({ name, loc }) {
      const type = apiSchema.getType(name.value);
      if (loc && type && isPrefixed(type)) places.push(loc.start);
    },
  });
  return places
    .sort((a, b) => b - a)
    .reduce((text, at) => text.slice(0, at) + prefix + text.slice(at), operation);
}

/** Its records know their types by the names without the prefix. */
function prefixResolved(type: GraphQLInterfaceType, prefix: string): GraphQLInterfaceType {
  const { resolveType, ...config } = type.toConfig();
  if (!resolveType) return type;
  const typeNameOf = resolveType as (record: unknown) => string;
  return new GraphQLInterfaceType({
    ...config,
    resolveType: (record: unknown) => prefix + typeNameOf(record),
  });
}

/** Relay's and the specification's own names stand for the same thing in every subgraph, and so do scalars. */
function isPrefixed(type: GraphQLNamedType): boolean {
  return !isScalarType(type) && !SHARED.has(type.name) && !type.name.startsWith('__');
}

const SHARED: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Node', 'PageInfo']);
