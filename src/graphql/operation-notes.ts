import {
  type DocumentNode,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** What a request log notes of a valid operation: its root field, one of the schema's few, and the name that the client gave. */
export function readOperation(document: DocumentNode, operationName: string | undefined): OperationNotes {
  const known = kept.get(document)?.get(operationName);
  if (known) return known;
  const notes = read(document, operationName);
  kept.set(document, (kept.get(document) ?? new Map()).set(operationName, notes));
  return notes;
}

function read(document: DocumentNode, operationName: string | undefined): OperationNotes {
  const operation = getOperationAST(document, operationName);
  const fields = new Set<string>();
  if (operation) collect(document, operation, fields);
  const [only = 'none', another] = fields;
  return {
    operation: another === undefined ? only : 'several',
    operationName: operation?.name?.value.slice(0, MAX_NAME_LENGTH),
  };
}

/** Through each fragment once. */
function collect(document: DocumentNode, operation: OperationDefinitionNode, fields: Set<string>): void {
  const fragments = new Map<string, SelectionSetNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node.selectionSet);
  }
  const waiting: SelectionSetNode[] = [operation.selectionSet];
  for (let set = waiting.pop(); set; set = waiting.pop()) {
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) fields.add(node.name.value);
      else if (node.kind === Kind.INLINE_FRAGMENT) waiting.push(node.selectionSet);
      else {
        const inner = fragments.get(node.name.value);
        fragments.delete(node.name.value);
        if (inner) waiting.push(inner);
      }
    }
  }
}

/** The log has no room for what a client may call an operation. */
const MAX_NAME_LENGTH = 200;

/** Of documents that come again and again. */
const kept = new WeakMap<DocumentNode, Map<string | undefined, OperationNotes>>();

export interface OperationNotes {
  readonly operation: string;
  readonly operationName: string | undefined;
}
