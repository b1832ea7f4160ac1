import { printSchema } from 'graphql';
import { apiSchema } from './schema.ts';
import { printSubgraph, type SubgraphOptions } from './subgraph-sdl.ts';

/** The API as its clients know it, with a line break at its end as files have. */
export function printApiSchema(): string {
  return `${printSchema(apiSchema)}\n`;
}

/** What `_service` answers: the same with what gateways need. */
export function printSubgraphSchema(options: SubgraphOptions = {}): string {
  return printSubgraph(apiSchema, options);
}
