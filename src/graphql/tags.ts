/**
 * For a field's options: `t.field({ …, ...tagged('api-key') })`. A contract can leave out what has a tag; here it changes
 * nothing. `api-key`: a customer token is refused. `raw-data`: what a CRM says beyond the common shape.
 */
export function tagged(name: 'api-key' | 'raw-data') {
  const tag: Tag = { name: 'tag', args: { name } };
  return { directives: [tag] };
}

interface Tag {
  readonly name: 'tag';
  readonly args: { readonly name: string };
}
