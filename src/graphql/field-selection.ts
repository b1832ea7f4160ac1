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
import { CONFIGURATION_FIELDS } from '../domain/connection.ts';
import { CONTACT_FIELDS } from '../domain/contact.ts';
import type { FieldSelection } from '../domain/contact-search.ts';

/**
 * The field selection for the contacts at these paths below the current field. Schema fields have the names of the
 * domain's fields. Equal selections of a plan return the same object, so that caches can be keyed by identity.
 */
export function selectContactFields(
  info: GraphQLResolveInfo,
  ...places: readonly (readonly string[])[]
): FieldSelection {
  const known = remembered.get(info.fieldNodes);
  if (known) return known;
  const selected = places.map((place) => selectedNames(info, ...place));
  const isSelected = (name: string) => selected.some((names) => names.has(name));
  const selection = {
    rawData: isSelected('rawData'),
    fields: new Set(CONTACT_FIELDS.filter(isSelected)),
  };
  remembered.set(info.fieldNodes, selection);
  return selection;
}

/**
 * Memoizes selections by the executor's node lists, which a cached plan keeps: from the second request on nothing is
 * computed. Conditions that evaluate differently produce new lists.
 */
const remembered = new WeakMap<readonly FieldNode[], FieldSelection>();

/** Whether a configuration of a connection at one of these paths below the current field is selected. */
export function selectsConfigurations(
  info: GraphQLResolveInfo,
  ...places: readonly (readonly string[])[]
): boolean {
  return places.some((place) => {
    const names = selectedNames(info, ...place);
    return CONFIGURATION_FIELDS.some((name) => names.has(name));
  });
}

/**
 * Whether the field at this path below the current one is selected. Follows fragments and aliases and respects
 * `@skip` and `@include`; ignores type conditions, because a path is unambiguous by its names.
 */
export function isSelected(info: GraphQLResolveInfo, ...path: readonly string[]): boolean {
  return selectedNames(info, ...path.slice(0, -1)).has(path.at(-1) ?? '');
}

/** The names of the selected fields at this path. */
function selectedNames(info: GraphQLResolveInfo, ...path: readonly string[]): ReadonlySet<string> {
  const below = (parents: readonly FieldNode[]) =>
    parents.flatMap(({ selectionSet }) => fieldsOf(info, selectionSet));
  const nodes = path.reduce(
    (selected, name) => below(selected.filter((node) => node.name.value === name)),
    below(info.fieldNodes),
  );
  return new Set(nodes.map(({ name }) => name.value));
}

function fieldsOf(
  info: GraphQLResolveInfo,
  set: SelectionSetNode | undefined,
): readonly FieldNode[] {
  return (set?.selections ?? []).flatMap((node) => {
    if (!isIncluded(info, node)) return [];
    if (node.kind === Kind.FIELD) return [node];
    const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : info.fragments[node.name.value];
    return fieldsOf(info, fragment?.selectionSet);
  });
}

function isIncluded({ variableValues }: GraphQLResolveInfo, node: SelectionNode): boolean {
  if (!node.directives?.length) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variableValues);
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variableValues);
  return skip?.['if'] !== true && include?.['if'] !== false;
}
