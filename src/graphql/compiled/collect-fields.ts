import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isAbstractType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The fields that are selected of an object, by the key that they answer under: with every condition decided. */
export function collectFields(
  scope: SelectionScope,
  type: GraphQLObjectType,
  sets: readonly (SelectionSetNode | undefined)[],
): CollectedFields {
  const fields = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  try {
    for (const set of sets) if (set) collect(set);
    return { selected: fields, failure: undefined };
  } catch (error) {
    return { selected: NONE, failure: error as Error };
  }

  function collect({ selections }: SelectionSetNode): void {
    for (const node of selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD && spread.has(node.name.value)) continue;
      if (!isIncluded(scope, node)) continue;
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        const same = fields.get(key);
        if (same) same.push(node);
        else fields.set(key, [node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        if (applies(scope, node.typeCondition?.name.value, type)) collect(node.selectionSet);
      } else {
        spread.add(node.name.value);
        const fragment = scope.fragments[node.name.value];
        if (fragment && applies(scope, fragment.typeCondition.name.value, type))
          collect(fragment.selectionSet);
      }
    }
  }
}

/** Throws where a condition is null: `@skip` is looked at first. */
function isIncluded({ conditions }: SelectionScope, node: SelectionNode): boolean {
  if (!node.directives?.length) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, node, conditions);
  if (skip?.['if'] === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, conditions)?.['if'] !== false;
}

function applies({ schema }: SelectionScope, condition: string | undefined, type: GraphQLObjectType) {
  if (condition === undefined || condition === type.name) return true;
  const conditional = schema.getType(condition);
  return isAbstractType(conditional) && schema.isSubType(conditional, type);
}

export interface SelectionScope {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly conditions: Conditions;
}

export interface CollectedFields {
  readonly selected: ReadonlyMap<string, readonly FieldNode[]>;
  /** Where a condition is neither true nor false nothing is selected. */
  readonly failure: Error | undefined;
}

/** What `@skip` and `@include` go by: the values of the variables that they name. */
export type Conditions = Record<string, boolean | null>;

const NONE: ReadonlyMap<string, readonly FieldNode[]> = new Map();
