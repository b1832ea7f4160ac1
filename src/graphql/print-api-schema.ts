import { printSchema } from 'graphql';
import { apiSchema } from './schema.ts';

/** The API as its clients know it, with a line break at its end as files have. */
export function printApiSchema(): string {
  return `${printSchema(apiSchema)}\n`;
}
