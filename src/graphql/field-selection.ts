import {
  type FieldNode,
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { CONTACT_FIELDS } from '../domain/contact.ts';
import type { FieldSelection } from '../domain/contact-search.ts';

/**
 * What is selected of the contacts at these places below the field that is being resolved. The fields of the schema have
 * the names of the domain's: a contact is exposed as it is. A selection wants the same each time, and the same object says
 * so to a cache that is keyed by it.
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

/**
 * Is the field at the end of this path selected below the field that is being resolved? It looks through fragments and
 * aliases and leaves out what is skipped. Type conditions are not looked at: a path says by its names what it means.
 */
export function isSelected(info: GraphQLResolveInfo, ...path: readonly string[]): boolean {
  return selectedNames(info, ...path.slice(0, -1)).has(path.at(-1) ?? '');
}

/** The names of the fields that are selected at the end of this path. */
function selectedNames(info: GraphQLResolveInfo, ...path: readonly string[]): ReadonlySet<string> {
  return new Set(findNodes(info, path).map(({ name }) => name.value));
}

function findNodes(info: GraphQLResolveInfo, path: readonly string[]): readonly FieldNode[] {
  const step = (parents: readonly FieldNode[]) =>
    parents.flatMap(({ selectionSet }) => fieldsOf(info, selectionSet));
  return path.reduce(
    (nodes, name) => step(nodes.filter((node) => node.name.value === name)),
    step(info.fieldNodes),
  );
}

function fieldsOf(info: GraphQLResolveInfo, set: SelectionSetNode | undefined): readonly FieldNode[] {
  return (set?.selections ?? []).flatMap((node) => {
    if (!isIncluded(info, node)) return [];
    if (node.kind === Kind.FIELD) return [node];
    return node.kind === Kind.INLINE_FRAGMENT
      ? fieldsOf(info, node.selectionSet)
      : fieldsOf(info, info.fragments[node.name.value]?.selectionSet);
  });
}

function isIncluded({ variableValues }: GraphQLResolveInfo, node: SelectionNode): boolean {
  if (!node.directives?.length) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variableValues);
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variableValues);
  return skip?.['if'] !== true && include?.['if'] !== false;
}
