import {
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { CrossbookError } from '../domain/errors.ts';
import { checkLimits, type Limits } from './limits.ts';

/** What may be asked without saying who asks: the schema, never data. */
const ABOUT_THE_SCHEMA = new Set(['__schema', '__type', '__typename', '_service']);

/**
 * Decides, before an operation is even validated, whether it may run: it must be there, be allowed with this method, come
 * from a known caller where it touches data, and be of a bearable size. Returns what it costs.
 */
export function admit(asked: AskedOperation): number {
  const { document, operationName, method, isCallerKnown } = asked;
  const operation = findOperation(document, operationName);
  if (operation.operation === 'subscription') {
    throw new CrossbookError('BAD_REQUEST', 'There are no subscriptions.');
  }
  if (operation.operation === 'mutation' && method !== 'POST') {
    throw new CrossbookError('METHOD_NOT_ALLOWED', 'A mutation must be sent with POST.');
  }
  if (!isCallerKnown && touchesData(document, operation)) {
    throw new CrossbookError(
      'UNAUTHORIZED',
      'Say who calls: with the header x-api-key, or a customer token.',
    );
  }
  return checkLimits(asked, operation);
}

function findOperation(document: DocumentNode, name: string | undefined): OperationDefinitionNode {
  const operation = getOperationAST(document, name);
  if (operation) return operation;
  throw new CrossbookError(
    'BAD_REQUEST',
    name === undefined
      ? 'The document must hold exactly one operation, or `operationName` must say which is meant.'
      : `The document has no operation ${JSON.stringify(name)}.`,
  );
}

function touchesData(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const seen = new Set<string>();
  return touches(operation.selectionSet);

  function touches(set: SelectionSetNode): boolean {
    return set.selections.some((node) => {
      if (node.kind === Kind.FIELD) return !ABOUT_THE_SCHEMA.has(node.name.value);
      if (node.kind === Kind.INLINE_FRAGMENT) return touches(node.selectionSet);
      const name = node.name.value;
      if (seen.has(name)) return false;
      seen.add(name);
      return document.definitions.some(
        (one) =>
          one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name && touches(one.selectionSet),
      );
    });
  }
}

interface AskedOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly method: string;
  readonly isCallerKnown: boolean;
  readonly limits: Limits;
  /** What other operations of the same HTTP request cost. */
  readonly spent: number;
}
