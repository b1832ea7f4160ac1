import {
  BREAK,
  type DirectiveNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
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

export interface PlannedOperation {
  readonly operation: OperationDefinitionNode;
  readonly fragments: Record<string, FragmentDefinitionNode>;
  /** The variables that `@skip` and `@include` go by. */
  readonly conditions: readonly string[];
}
