import { GraphQLSchema, printSchema } from 'graphql';
import { builder } from './builder.ts';
import {
  prefixTypes,
  printSubgraph,
  type SubgraphOptions,
  type TypeNames,
} from './subgraph/to-subgraph.ts';
import './types/node.ts';
import './types/contact.ts';
import './types/provider.ts';
import './types/customer.ts';
import './types/own-fields.ts';
import './types/connect-links.ts';
import './types/events.ts';

builder.queryType({ description: 'Operations that read data.' });
builder.mutationType({ description: 'Operations that change data.' });

/** Includes types that only gateways reach by reference. Federation's own additions are in `subgraph/`. */
export const entitySchema = builder.toSchema();

/** The schema that clients see. */
export const apiSchema = toApi(entitySchema);

function toApi(schema: GraphQLSchema): GraphQLSchema {
  const { types, ...config } = schema.toConfig();
  return new GraphQLSchema({
    ...config,
    types: types.filter(({ name }) => name !== 'ContactsByEmail'),
  });
}

/** The printed schema that clients see, with a final line break. */
export function printApiSchema({ typePrefix = '' }: TypeNames = {}): string {
  return `${printSchema(prefixTypes(apiSchema, typePrefix))}\n`;
}

/** The SDL for `_service`: the schema with Federation's directives. */
export function printSubgraphSchema({
  typePrefix = '',
  ...options
}: SubgraphOptions & TypeNames = {}): string {
  return printSubgraph(prefixTypes(entitySchema, typePrefix), options);
}
