import type { FieldNode, GraphQLResolveInfo } from 'graphql';
import { CONTACT_FIELDS } from '../domain/contact.ts';
import type { FieldSelection } from '../domain/field-selection.ts';
import { selectedNames } from './selection.ts';

/**
 * What is selected of the contacts at these places below the field that is being resolved. The fields of the schema have
 * the names of the domain's: a contact is exposed as it is. A selection wants the same each time, and the same object says
 * so to whoever keeps something for it.
 */
export function selectContactFields(
  info: GraphQLResolveInfo,
  ...places: readonly (readonly string[])[]
): FieldSelection {
  const known = remembered.get(info.fieldNodes);
  if (known) return known;
  const selected = places.map((place) => selectedNames(info, ...place));
  const isSelected = (name: string) => selected.some((names) => names.has(name));
  const selection = { rawData: isSelected('rawData'), fields: new Set(CONTACT_FIELDS.filter(isSelected)) };
  remembered.set(info.fieldNodes, selection);
  return selection;
}

/**
 * A field asks for its contacts at the same places always. Whoever executes makes these lists of nodes anew when a condition
 * falls out in another way, and a plan keeps them: for its second request nothing is looked for.
 */
const remembered = new WeakMap<readonly FieldNode[], FieldSelection>();
