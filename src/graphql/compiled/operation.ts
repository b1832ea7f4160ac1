import {
  BREAK,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  getOperationAST,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';

/** What plans can be made for: undefined for what graphql itself has to execute. */
export function readOperation(
  document: DocumentNode,
  operationName: string | null | undefined,
): PlannedOperation | undefined {
  const operation = getOperationAST(document, operationName);
  if (!operation || operation.operation === OperationTypeNode.SUBSCRIPTION) return undefined;
  const fragments: Record<string, FragmentDefinitionNode> = Object.create(null);
  const conditions = new Set<string>();
  let isCovered = true;
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments[definition.name.value] = definition;
    else if (definition !== operation) continue;
    visit(definition, { Directive: look });
  }
  return isCovered ? { operation, fragments, conditions: [...conditions] } : undefined;

  function look({ name, arguments: args }: DirectiveNode): typeof BREAK | undefined {
    const value = args?.[0]?.value;
    isCovered &&= name.value === 'skip' || name.value === 'include';
    if (value?.kind === Kind.VARIABLE) conditions.add(value.name.value);
    return isCovered ? undefined : BREAK;
  }
}

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

const NONE: ReadonlyMap<string, readonly FieldNode[]> = new Map();

export interface PlannedOperation {
  readonly operation: OperationDefinitionNode;
  readonly fragments: Record<string, FragmentDefinitionNode>;
  /** The variables that `@skip` and `@include` go by. */
  readonly conditions: readonly string[];
}

export interface SelectionScope {
  readonly schema: GraphQLSchema;
  readonly fragments: Readonly<Record<string, FragmentDefinitionNode>>;
  readonly conditions: Conditions;
}

interface CollectedFields {
  readonly selected: ReadonlyMap<string, readonly FieldNode[]>;
  /** Where a condition is neither true nor false nothing is selected. */
  readonly failure: Error | undefined;
}

/** What `@skip` and `@include` go by: the values of the variables that they name. */
export type Conditions = Record<string, boolean | null>;
