import { printSchema } from 'graphql';
import { apiSchema, entitySchema } from './schema.ts';
import {
  type NamePrefixes,
  prefixNames,
  printSubgraph,
  type SubgraphOptions,
} from './subgraph/to-subgraph.ts';
import { type TypedFields, withTypedFields } from './typed-fields.ts';

/** The printed schema that clients see, with a final line break. */
export function printApiSchema(names: NamePrefixes & TypedFields = {}): string {
  return `${printSchema(withTypedFields(prefixNames(apiSchema, names), names))}\n`;
}

/** The SDL for `_service`: the schema with Federation's directives. */
export function printSubgraphSchema(
  options: SubgraphOptions & NamePrefixes & TypedFields = {},
): string {
  return printSubgraph(prefixNames(entitySchema, options), options);
}
