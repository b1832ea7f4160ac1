import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
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
): ReadonlyMap<string, readonly FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  for (const set of sets) if (set) collect(set);
  return fields;

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

function isIncluded({ conditions }: SelectionScope, { directives = [] }: SelectionNode): boolean {
  return directives.every((directive) => readCondition(directive, conditions) !== isSkip(directive));
}

function readCondition(directive: DirectiveNode, conditions: Conditions): boolean {
  const value = directive.arguments?.[0]?.value;
  if (value?.kind === Kind.VARIABLE) return conditions.get(value.name.value) ?? false;
  return value?.kind === Kind.BOOLEAN && value.value;
}

function isSkip({ name }: DirectiveNode): boolean {
  return name.value === 'skip';
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

/** What `@skip` and `@include` go by: the variables that they name. */
export type Conditions = ReadonlyMap<string, boolean>;
