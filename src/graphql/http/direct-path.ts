import type { ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';
import type { WrittenJson } from '../../lib/written-json.ts';
import type { Execute } from '../fast/execute.ts';
import type { DocumentStore } from './document-store.ts';
import { INTROSPECTION_NAME, type KnownIntrospection } from './known-introspection.ts';
import { type OpenDeps, type OpenedRequest, openRequest, readAllowance } from './open-request.ts';
import type { Operation } from './read-request.ts';
import { admitOperation, findDocument, parseDocument, runOperation } from './run-operation.ts';

/**
 * What nearly every request is, one operation sent with POST, without the way through the plugins of a server that can do
 * everything. Undefined where it was something else after all: then it has been read already.
 */
export function createDirectPath({ schema, execute, store, ...deps }: Options): DirectPath {
  const rules = { schema, execute, store, limits: deps.limits };

  return async (opened) => {
    try {
      const asked = await openRequest(opened, deps);
      return Array.isArray(asked) ? undefined : await answer(asked, opened);
    } catch (error) {
      return { errors: [error as GraphQLError] };
    }
  };

  async function answer(operation: Operation, opened: OpenedRequest): Promise<ExecutionResult> {
    const known = deps.introspection?.(operation);
    if (known) return answerKnown(known, opened);
    const found = findDocument(operation.query, opened, store);
    const isNew = !found;
    if (isNew) await opened.journal.permit.takeTurn();
    const document = found?.document ?? parseDocument(operation.query, opened, rules);
    if (isNew) await opened.journal.permit.takeTurn();
    admitOperation({ opened, document, operation }, rules);
    if (isNew) await opened.journal.permit.takeTurn();
    const errors = store.validate(document);
    if (errors.length > 0) return { errors };
    const { operationName, variables } = operation;
    return runOperation(opened, rules, { schema, document, operationName, variableValues: variables });
  }
}

async function answerKnown(data: WrittenJson, opened: OpenedRequest): Promise<ExecutionResult> {
  const { journal } = opened;
  journal.note({ operation: INTROSPECTION, operationName: INTROSPECTION_NAME });
  readAllowance(opened).consumeBytes(data.length);
  return journal.operation(INTROSPECTION, async () => ({ data: data as never }));
}

export type DirectPath = (opened: OpenedRequest) => Promise<ExecutionResult | undefined>;

const INTROSPECTION = '__schema';

interface Options extends OpenDeps {
  readonly schema: GraphQLSchema;
  readonly execute: Execute;
  readonly store: DocumentStore;
  /** Undefined where the schema is not told. */
  readonly introspection: KnownIntrospection | undefined;
}
