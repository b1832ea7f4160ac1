import { type DocumentNode, getOperationAST, Kind, type SelectionSetNode } from 'graphql';

/** What a journal notes of a valid operation: its root field, one of the schema's few, and the name that the client gave. */
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
  if (operation) collect(document, operation.selectionSet, fields);
  const [only = 'none', another] = fields;
  return { operation: another === undefined ? only : 'several', operationName: operation?.name?.value };
}

/** Of a valid document: fragments exist, and do not go in circles. */
function collect(document: DocumentNode, set: SelectionSetNode, fields: Set<string>): void {
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD) fields.add(node.name.value);
    else if (node.kind === Kind.INLINE_FRAGMENT) collect(document, node.selectionSet, fields);
    else {
      const name = node.name.value;
      const fragment = document.definitions.find(
        (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name,
      );
      if (fragment?.kind === Kind.FRAGMENT_DEFINITION) collect(document, fragment.selectionSet, fields);
    }
  }
}

/** Of documents that come again and again. */
const kept = new WeakMap<DocumentNode, Map<string | undefined, OperationNotes>>();

export interface OperationNotes {
  readonly operation: string;
  readonly operationName: string | undefined;
}
