import { GraphQLSchema, printSchema } from 'graphql';
import { builder } from './builder.ts';
import { prefixTypes, printSubgraph, type SubgraphOptions, type TypeNames } from './subgraph/to-subgraph.ts';
import './types/node.ts';
import './types/contact.ts';
import './types/provider.ts';
import './types/customer.ts';
import './types/connect-links.ts';
import './types/events.ts';

builder.queryType({ description: 'Operations that read data.' });
builder.mutationType({ description: 'Operations that change data.' });

/** With what only references of gateways lead to. What they need in addition is in `subgraph/`. */
export const entitySchema = builder.toSchema();

/** The API as its clients know it. */
export const apiSchema = toApi(entitySchema);

function toApi(schema: GraphQLSchema): GraphQLSchema {
  const { types, ...config } = schema.toConfig();
  return new GraphQLSchema({ ...config, types: types.filter(({ name }) => name !== 'ContactsByEmail') });
}

/** The API as its clients know it, with a line break at its end as files have. */
export function printApiSchema({ typePrefix = '' }: TypeNames = {}): string {
  return `${printSchema(prefixTypes(apiSchema, typePrefix))}\n`;
}

/** What `_service` answers: the same with what gateways need. */
export function printSubgraphSchema({
  typePrefix = '',
  ...options
}: SubgraphOptions & TypeNames = {}): string {
  return printSubgraph(prefixTypes(entitySchema, typePrefix), options);
}
