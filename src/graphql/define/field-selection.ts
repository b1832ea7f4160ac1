import {
  type FieldNode,
  GraphQLIncludeDirective,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  GraphQLString,
  getDirectiveValues,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  valueFromAST,
} from 'graphql';
import { CONFIGURATION_FIELDS } from '../../domain/connection.ts';
import type { CrmRecord, RecordKind } from '../../domain/records/record.ts';
import type { FieldSelection } from '../../domain/records/record-search.ts';

/**
 * The field selection for the records of a type at these paths below the current field. Schema fields have the names of the
 * domain's fields. Equal selections of a plan return the same object, so that caches can be keyed by identity.
 */
export function selectFields(
  kind: RecordKind<CrmRecord>,
  info: GraphQLResolveInfo,
  ...places: readonly (readonly string[])[]
): FieldSelection {
  const remembered = selections.get(kind) ?? new WeakMap<readonly FieldNode[], KnownSelection>();
  let known = remembered.get(info.fieldNodes);
  if (!known) {
    known = readSelection(kind, info, places);
    selections.set(kind, remembered.set(info.fieldNodes, known));
  }
  const { selection, customFields, rawFields } = known;
  if (customFields.length === 0 && rawFields.length === 0) return selection;
  // The names may be in variables, which differ by request.
  return {
    ...selection,
    ...(customFields.length > 0 && {
      customFieldNames: readNames(info, customFields, selection.customFieldNames),
    }),
    ...(rawFields.length > 0 && { rawFields: readLists(info, rawFields, 'fields').flat() }),
  };
}

function readSelection(
  { fields }: RecordKind<CrmRecord>,
  info: GraphQLResolveInfo,
  places: readonly (readonly string[])[],
): KnownSelection {
  const nodes = places.flatMap((place) => selectedNodes(info, ...place));
  const named = (name: string) => nodes.filter((node) => node.name.value === name);
  const names = new Set(nodes.map(({ name }) => name.value));
  const selection = {
    rawData: names.has('rawData'),
    fields: new Set(fields.filter((name) => names.has(name))),
  };
  const rawFields = named('rawData').filter((node) => node.arguments?.length);
  const untyped = named('customFields');
  if (untyped.some((node) => !node.arguments?.length))
    return { selection: { ...selection, customFieldNames: 'all' }, customFields: [], rawFields };
  const typed = names.has('custom') ? readTypedNames(info, named('custom')) : undefined;
  return {
    selection: typed ? { ...selection, customFieldNames: typed } : selection,
    customFields: untyped,
    rawFields,
  };
}

/** The custom fields that are selected as fields of `custom`. */
function readTypedNames(info: GraphQLResolveInfo, nodes: readonly FieldNode[]): readonly string[] {
  const fields = nodes.flatMap(({ selectionSet }) => fieldsOf(info, selectionSet));
  const names = new Set(fields.map(({ name }) => name.value));
  names.delete('__typename');
  return [...names];
}

/** The names of all `customFields` in the selection, and of `custom`: one without names selects all. */
function readNames(
  info: GraphQLResolveInfo,
  nodes: readonly FieldNode[],
  typed: FieldSelection['customFieldNames'] = [],
): NonNullable<FieldSelection['customFieldNames']> {
  const lists = readLists(info, nodes, 'names');
  return typed !== 'all' && lists.length === nodes.length ? [...typed, ...lists.flat()] : 'all';
}

/** The lists that the fields have as this argument. */
function readLists(
  { variableValues }: GraphQLResolveInfo,
  nodes: readonly FieldNode[],
  argument: string,
): readonly (readonly string[])[] {
  return nodes.flatMap((node) => {
    const given = node.arguments?.find(({ name }) => name.value === argument)?.value;
    const list: unknown = given && valueFromAST(given, NAMES, variableValues);
    return Array.isArray(list) ? [list] : [];
  });
}

const NAMES = new GraphQLList(new GraphQLNonNull(GraphQLString));

interface KnownSelection {
  readonly selection: FieldSelection;
  /** Each `customFields` with an argument, where all have one. */
  readonly customFields: readonly FieldNode[];
  readonly rawFields: readonly FieldNode[];
}

/**
 * Memoizes selections by the executor's node lists, which a cached plan keeps: from the second request on nothing is
 * computed. Conditions that evaluate differently produce new lists.
 */
const selections = new Map<RecordKind<CrmRecord>, WeakMap<readonly FieldNode[], KnownSelection>>();

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
  return new Set(selectedNodes(info, ...path).map(({ name }) => name.value));
}

function selectedNodes(info: GraphQLResolveInfo, ...path: readonly string[]): FieldNode[] {
  const below = (parents: readonly FieldNode[]) =>
    parents.flatMap(({ selectionSet }) => fieldsOf(info, selectionSet));
  return path.reduce(
    (selected, name) => below(selected.filter((node) => node.name.value === name)),
    below(info.fieldNodes),
  );
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
