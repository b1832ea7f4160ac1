import {
  type DefinitionNode,
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';
import { CrossbookError } from '../domain/errors.ts';
import type { OperationCost } from './cost-analysis.ts';
import { checkLimits, type Limits, type Spent } from './limits.ts';

/** Root fields that need no authentication: the schema, never data. */
const ABOUT_THE_SCHEMA = new Set(['__schema', '__type', '__typename', '_service']);

/**
 * Decides, before validation, whether an operation may run: it must exist, be allowed with this method, come from an
 * authenticated caller where its document reads data, and stay within the limits. Returns its cost.
 */
export function checkOperation(asked: OperationToCheck): OperationCost {
  const { document, operationName, method, isCallerKnown } = asked;
  const operation = findOperation(document, operationName);
  if (operation.operation === 'subscription') {
    throw new CrossbookError('BAD_REQUEST', 'There are no subscriptions.');
  }
  if (operation.operation === 'mutation' && method !== 'POST') {
    throw new CrossbookError('METHOD_NOT_ALLOWED', 'A mutation must be sent with POST.');
  }
  if (!isCallerKnown) checkStranger(document);
  return checkLimits(asked, operation);
}

function findOperation(document: DocumentNode, name: string | undefined): OperationDefinitionNode {
  const operation = getOperationAST(document, name);
  if (operation) return operation;
  throw new CrossbookError(
    'BAD_REQUEST',
    name === undefined
      ? 'The document must hold exactly one operation, or `operationName` must say which is meant.'
      : `The document has no operation ${JSON.stringify(name.slice(0, MAX_NAME_LENGTH))}.`,
  );
}

/** Without a caller all of the document is looked at, because all of it is validated. */
function checkStranger({ definitions }: DocumentNode): void {
  if (definitions.some(touchesData)) throw whoCalls();
  if (definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length > 1) {
    throw new CrossbookError('BAD_REQUEST', 'Without an API key or a token, a document holds one operation.');
  }
}

export function whoCalls(): CrossbookError {
  return new CrossbookError('UNAUTHORIZED', 'Say who calls: with the header x-api-key, or a customer token.');
}

/** Fragments are looked at where they are defined, not where they are spread. */
function touchesData(definition: DefinitionNode): boolean {
  if (definition.kind === Kind.FRAGMENT_DEFINITION && isMetaType(definition.typeCondition.name.value))
    return false;
  if (definition.kind !== Kind.FRAGMENT_DEFINITION && definition.kind !== Kind.OPERATION_DEFINITION)
    return false;
  const waiting: (readonly SelectionNode[])[] = [definition.selectionSet.selections];
  for (let selections = waiting.pop(); selections; selections = waiting.pop()) {
    for (const node of selections) {
      if (node.kind === Kind.FIELD && !ABOUT_THE_SCHEMA.has(node.name.value)) return true;
      if (node.kind === Kind.INLINE_FRAGMENT) waiting.push(node.selectionSet.selections);
    }
  }
  return false;
}

function isMetaType(name: string): boolean {
  return name.startsWith('__') || name === '_Service';
}

/** Of what an error repeats. */
const MAX_NAME_LENGTH = 100;

interface OperationToCheck {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly method: string;
  readonly isCallerKnown: boolean;
  readonly limits: Limits;
  /** What other operations of the same HTTP request have. */
  readonly spent: Spent;
  /** How large the body of the response may be. */
  readonly responseBytes: number;
}
