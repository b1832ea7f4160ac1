import { type DocumentNode, type ExecutionResult, type GraphQLSchema, parse } from 'graphql';
import { admit } from '../admit.ts';
import type { Execute } from '../fast/execute.ts';
import type { Limits } from '../limits.ts';
import { checkNesting } from '../nesting.ts';
import { readOperation } from '../operation-notes.ts';
import type { OpenedRequest } from './open-request.ts';
import type { Operation } from './read-request.ts';

export function parseDocument(text: string, limits: Limits): DocumentNode {
  checkNesting(text, limits.nesting);
  return parse(text, { maxTokens: limits.tokens });
}

/** Throws where the operation may not run; else it is reckoned among those of its request. */
export function admitOperation({ opened, document, operation }: Asked, { schema, limits }: Rules): void {
  const { operationName, variables = {} } = operation;
  const isCallerKnown = opened.context?.caller !== undefined;
  const { spent, request } = opened;
  const { method } = request;
  opened.spent += admit({ schema, document, operationName, variables, method, isCallerKnown, limits, spent });
}

/** Resolvers see our request, and nothing of the server's. */
export function runOperation(
  { context, journal }: OpenedRequest,
  execute: Execute,
  { schema, document, operationName, variableValues }: Parameters<Execute>[0],
): Promise<ExecutionResult> {
  const operation = readOperation(document, operationName ?? undefined);
  journal.note(operation);
  return journal.operation(operation.operation, async () =>
    execute({ schema, document, operationName, variableValues, contextValue: context }),
  );
}

interface Asked {
  readonly opened: OpenedRequest;
  readonly document: DocumentNode;
  readonly operation: Operation;
}

interface Rules {
  readonly schema: GraphQLSchema;
  readonly limits: Limits;
}
