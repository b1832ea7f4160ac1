import SchemaBuilder from '@pothos/core';
import DirectivesPlugin from '@pothos/plugin-directives';
import type { RequestContext } from '../request/context.ts';

/** Every type file adds to this one. Fields answer always, unless they say `nullable`. */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [DirectivesPlugin],
  directives: { useGraphQLToolsUnorderedDirectives: true },
  defaultFieldNullability: false,
});

/**
 * For a field's options: `t.field({ …, ...tagged('api-key') })`. A contract can leave out what has a tag; here it changes
 * nothing. `api-key`: a customer token is refused. `raw-data`: what a CRM says beyond the common shape.
 */
export function tagged(name: 'api-key' | 'raw-data') {
  const tag: Tag = { name: 'tag', args: { name } };
  return { directives: [tag] };
}

interface SchemaTypes {
  Context: RequestContext;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
  };
  Directives: {
    key: { locations: 'OBJECT'; args: { fields: string } };
    tag: { locations: 'FIELD_DEFINITION'; args: { name: string } };
    shareable: { locations: 'OBJECT'; args: Record<string, never> };
  };
}

interface Tag {
  readonly name: 'tag';
  readonly args: { readonly name: string };
}
