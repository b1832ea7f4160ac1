import { printSchema } from 'graphql';
import { apiSchema, entitySchema } from './schema.ts';
import { printSubgraph, type SubgraphOptions, type TypeNames } from './subgraph/to-subgraph.ts';
import { prefixTypes } from './subgraph/type-prefix.ts';

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
