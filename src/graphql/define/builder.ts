import SchemaBuilder from '@pothos/core';
import DirectivesPlugin from '@pothos/plugin-directives';
import { GraphQLError, GraphQLScalarType } from 'graphql';
import { isDay, isRfc3339, withIsoDate } from '../../lib/text.ts';
import type { RequestContext } from '../../request/context.ts';

/** The schema builder that all type files add to. Fields are non-null unless they say `nullable`. */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [DirectivesPlugin],
  directives: { useGraphQLToolsUnorderedDirectives: true },
  defaultFieldNullability: false,
});

builder.addScalarType(
  'DateTime',
  new GraphQLScalarType<string, unknown>({
    name: 'DateTime',
    description:
      'Date and time, RFC 3339, e.g. `2025-01-31T09:30:00.000Z`. Responses are in UTC with milliseconds.',
    serialize: withIsoDate,
    parseValue(value) {
      if (typeof value === 'string' && isRfc3339(value)) return value;
      throw new GraphQLError('DateTime must be an RFC 3339 string, such as 2025-01-31T09:30:00Z.');
    },
  }),
);

builder.addScalarType(
  'Date',
  new GraphQLScalarType<string, unknown>({
    name: 'Date',
    description: 'Date, RFC 3339, e.g. `2025-01-31`.',
    parseValue(value) {
      if (typeof value === 'string' && isDay(value)) return value;
      throw new GraphQLError('Date must be an RFC 3339 date, such as 2025-01-31.');
    },
  }),
);

builder.addScalarType(
  'JSON',
  new GraphQLScalarType({ name: 'JSON', description: 'Any JSON value, passed through unchanged.' }),
);

/**
 * Options that tag a field: `t.field({ …, ...tagged('api-key') })`. A federation contract can omit tagged fields;
 * tags have no effect here. `api-key`: customer tokens are rejected. `raw-data`: fields of a CRM outside of the
 * common schema.
 */
export function tagged(name: 'api-key' | 'raw-data') {
  return { directives: [{ name: 'tag', args: { name } } as const] };
}

interface SchemaTypes {
  Context: RequestContext;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: string; Output: string };
    Date: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
  };
  Directives: {
    key: { locations: 'OBJECT'; args: { fields: string } };
    tag: { locations: 'FIELD_DEFINITION'; args: { name: string } };
    shareable: { locations: 'OBJECT'; args: Record<string, never> };
  };
}
