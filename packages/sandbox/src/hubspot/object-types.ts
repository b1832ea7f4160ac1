/** An object type is named in the singular or plural, in any case, or by its number. */
export function objectTypeOf(alias: string): ObjectType | undefined {
  const name = alias.toLowerCase();
  return OBJECT_TYPES.find(
    (type) => type.name === name || type.plural === name || type.id === name,
  );
}

const OBJECT_TYPES = [
  { name: 'contact', plural: 'contacts', id: '0-1' },
  { name: 'company', plural: 'companies', id: '0-2' },
  { name: 'deal', plural: 'deals', id: '0-3' },
  { name: 'ticket', plural: 'tickets', id: '0-5' },
  { name: 'lead', plural: 'leads', id: '0-136' },
] as const;

export type ObjectType = (typeof OBJECT_TYPES)[number];
