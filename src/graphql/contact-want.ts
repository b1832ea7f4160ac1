import type { GraphQLResolveInfo } from 'graphql';
import { CONTACT_FIELDS, type Want } from '../domain/want.ts';
import { selectedNames } from './selection.ts';

/**
 * What is selected of the contacts at these places below the field that is being resolved. The fields of the schema have
 * the names of the domain's: a contact is exposed as it is.
 */
export function readContactWant(info: GraphQLResolveInfo, ...places: readonly (readonly string[])[]): Want {
  const selected = places.map((place) => selectedNames(info, ...place));
  const isSelected = (name: string) => selected.some((names) => names.has(name));
  return { rawData: isSelected('rawData'), fields: new Set(CONTACT_FIELDS.filter(isSelected)) };
}
