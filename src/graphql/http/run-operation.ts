import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import { CrossbookError } from '../../domain/errors.ts';
import { admit } from '../admit.ts';
import type { Execute, ExecuteArgs } from '../fast/execute.ts';
import { type Limits, spend } from '../limits.ts';
import { readOperation } from '../operation-notes.ts';
import type { DocumentStore, FoundDocument } from './document-store.ts';
import { type OpenedRequest, readAllowance } from './open-request.ts';
import type { Operation } from './read-request.ts';

/** The documents of one request share the bound of tokens: they are parsed one after the other. */
export function parseDocument(text: string, opened: OpenedRequest, { store, limits }: Rules): DocumentNode {
  const owner = opened.context?.caller?.application.id;
  const { document, tokens } = store.parse(text, { owner, limits });
  opened.tokens += tokens;
  if (opened.tokens <= limits.tokens) return document;
  throw new CrossbookError(
    'BAD_REQUEST',
    `The documents of the batch are too large: together they have more than ${limits.tokens} tokens.`,
  );
}

export function findDocument(
  text: string,
  opened: OpenedRequest,
  store: DocumentStore,
): FoundDocument | undefined {
  return store.find(text, opened.context?.caller?.application.id);
}

/** Throws where the operation may not run; else it is counted among those of its request. */
export function admitOperation({ opened, document, operation }: Asked, { schema, limits }: Rules): void {
  const { operationName, variables = {} } = operation;
  const isCallerKnown = opened.context?.caller !== undefined;
  const { spent, request } = opened;
  const { method } = request;
  const { bytes: responseBytes } = readAllowance(opened).bounds;
  const asked = {
    schema,
    document,
    operationName,
    variables,
    method,
    isCallerKnown,
    limits,
    spent,
    responseBytes,
  };
  spend(spent, admit(asked));
}

/** Charged by what its request costs so far. Resolvers see our request, and nothing of the server's. */
export function runOperation(
  opened: OpenedRequest,
  { execute }: Pick<Rules, 'execute'>,
  { schema, document, operationName, variableValues }: ExecuteArgs,
): Promise<ExecutionResult> {
  const { context: contextValue, journal } = opened;
  const allowance = readAllowance(opened);
  const operation = readOperation(document, operationName ?? undefined);
  journal.note(operation);
  return journal.operation(operation.operation, async () => {
    const charged = contextValue?.charge(opened.spent.cost);
    if (charged) await charged;
    if (opened.spent.cost > LONG_COST) await journal.permit.takeTurn();
    return execute({ schema, document, operationName, variableValues, contextValue, allowance });
  });
}

/** Of a request so far: what may take a tenth of a second to make. */
const LONG_COST = 20_000;

interface Asked {
  readonly opened: OpenedRequest;
  readonly document: DocumentNode;
  readonly operation: Operation;
}

interface Rules {
  readonly schema: GraphQLSchema;
  readonly execute: Execute;
  readonly store: DocumentStore;
  readonly limits: Limits;
}
