import type { ExecutionResult, GraphQLError, GraphQLSchema, ValidationRule } from 'graphql';
import type { Execute } from '../fast/execute.ts';
import { type OpenDeps, type OpenedRequest, openRequest } from './open-request.ts';
import { createPreparedDocuments } from './prepared-documents.ts';
import type { Operation } from './read-request.ts';
import { admitOperation, parseDocument, runOperation } from './run-operation.ts';

/**
 * What nearly every request is, one operation sent with POST, without the way through the plugins of a server that can do
 * everything. Undefined where it was something else after all: then it has been read already.
 */
export function createDirectPath({ schema, execute, rules, ...deps }: Options): DirectPath {
  const { limits } = deps;
  const prepare = createPreparedDocuments({ schema, rules, parse: (text) => parseDocument(text, limits) });

  return async (opened) => {
    try {
      const asked = await openRequest(opened, deps);
      return Array.isArray(asked) ? undefined : await answer(asked, opened);
    } catch (error) {
      return { errors: [error as GraphQLError] };
    }
  };

  async function answer(operation: Operation, opened: OpenedRequest): Promise<ExecutionResult> {
    const { document, validate } = prepare(operation.query);
    admitOperation({ opened, document, operation }, { schema, limits });
    const errors = validate();
    if (errors.length > 0) return { errors };
    const { operationName, variables } = operation;
    return runOperation(opened, execute, { schema, document, operationName, variableValues: variables });
  }
}

export type DirectPath = (opened: OpenedRequest) => Promise<ExecutionResult | undefined>;

interface Options extends OpenDeps {
  readonly schema: GraphQLSchema;
  readonly execute: Execute;
  /** Beside those of the specification. */
  readonly rules: readonly ValidationRule[];
}
