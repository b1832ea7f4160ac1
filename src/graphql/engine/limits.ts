import {
  checkLimits,
  LIMITS as EXECUTOR_LIMITS,
  type Limit,
  type OperationCost,
  type Spent,
  selectFields,
} from '@crossbook/executor';
import {
  type DefinitionNode,
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
} from 'graphql';
import { missingCredentials } from '../../domain/caller.ts';
import { CrossbookError } from '../../domain/errors.ts';
import { quote } from '../../lib/text.ts';
import { toTooLarge } from '../../request/allowance.ts';

/** Root fields that need no authentication: the schema, never data. */
const ABOUT_THE_SCHEMA = new Set(['__schema', '__type', '__typename', '_service']);

/**
 * Decides, before validation, whether an operation may run: it must exist, be allowed with this method, come from an
 * authenticated caller where its document reads data, and stay within the limits. Returns its cost, which is added to
 * `spent`.
 */
export function checkOperation(subject: OperationToCheck): OperationCost {
  const { document, operationName, method, isCallerKnown, limits } = subject;
  const operation = findOperation(document, operationName);
  if (operation.operation === 'subscription') {
    throw new CrossbookError('BAD_REQUEST', 'Subscriptions are not supported.');
  }
  if (operation.operation === 'mutation' && method !== 'POST') {
    throw new CrossbookError('METHOD_NOT_ALLOWED', 'A mutation must be sent with POST.');
  }
  if (!isCallerKnown) checkUnauthenticated(document);
  return checkLimits({
    schema: subject.schema,
    document,
    operation,
    variables: subject.variables,
    limits: isCallerKnown ? limits : { ...limits, steps: limits.unauthenticatedSteps },
    spent: subject.spent,
    responseBytes: subject.responseBytes,
    toError: toTooLarge,
  });
}

function findOperation(document: DocumentNode, name: string | undefined): OperationDefinitionNode {
  const operation = getOperationAST(document, name);
  if (operation) return operation;
  throw new CrossbookError(
    'BAD_REQUEST',
    name === undefined
      ? 'The document must have exactly one operation, or `operationName` must select one.'
      : `The document has no operation ${quote(name)}.`,
  );
}

/** Without a caller the whole document is checked, because all of it is validated. */
function checkUnauthenticated({ definitions }: DocumentNode): void {
  if (definitions.some(touchesData)) throw missingCredentials();
  if (definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length > 1) {
    throw new CrossbookError(
      'BAD_REQUEST',
      'Without an API key or a token, a document can have only one operation.',
    );
  }
}

/** Fragments are checked at their definition, not at their spreads. */
function touchesData(definition: DefinitionNode): boolean {
  if (definition.kind === Kind.FRAGMENT_DEFINITION) {
    const type = definition.typeCondition.name.value;
    if (type.startsWith('__') || type === '_Service') return false;
  } else if (definition.kind !== Kind.OPERATION_DEFINITION) return false;
  const { fields } = selectFields([definition.selectionSet], new Map());
  return fields.some(({ name }) => !ABOUT_THE_SCHEMA.has(name.value));
}

/**
 * The limits of a request, an operation or a document. They allow 150 look-ups, or a page of 1,000 contacts with all
 * fields, with a margin, and reject ten times as much.
 */
const LIMITS = {
  batch: { most: 10, counts: 'operations in a batch' },
  tokens: { most: 60_000, counts: 'tokens of all documents together' },
  ...EXECUTOR_LIMITS,
  unauthenticatedTokens: { most: 2_000, counts: 'tokens without an API key or a token' },
  unauthenticatedSteps: {
    most: 20_000,
    counts:
      'selections of the schema without an API key or a token; the queries of tools have 6,000',
  },
} as const satisfies Record<string, Limit>;

export function listLimits(): readonly Limit[] {
  return Object.values(LIMITS);
}

export const DEFAULT_LIMITS = Object.fromEntries(
  Object.entries(LIMITS).map(([name, { most }]) => [name, most]),
) as Record<keyof typeof LIMITS, number>;

interface OperationToCheck {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Variables;
  readonly method: string;
  readonly isCallerKnown: boolean;
  readonly limits: DocumentLimits;
  /** The sums of the other operations of the HTTP request. */
  readonly spent: Spent;
  /** The limit of response bytes. */
  readonly responseBytes: number;
}

export type DocumentLimits = { readonly [Name in keyof typeof DEFAULT_LIMITS]: number };

type Variables = Readonly<Record<string, unknown>>;
