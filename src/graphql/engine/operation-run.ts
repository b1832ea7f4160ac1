import {
  type Executor,
  findFragments,
  type JsonBytes,
  type OperationCost,
  refundCost,
  rememberByOperation,
  selectFields,
} from '@crossbook/executor';
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  getOperationAST,
  type ValidationRule,
} from 'graphql';
import { CrossbookError } from '../../domain/errors.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { CallerSchema } from '../caller-schemas.ts';
import type { PersistedOperations } from '../over-http/persisted-operations.ts';
import type { GraphQLRequest, OperationParams } from '../over-http/read-request.ts';
import { INTROSPECTION_NAME } from './introspection.ts';
import { checkOperation, type DocumentLimits } from './limits.ts';

/**
 * One run of an operation, with the schema of its caller, in the phases of the engine: it is parsed and checked within
 * the limits, validated, charged and executed. A document or variables that a plugin replaces are checked as well.
 */
export class OperationRun {
  /** As the client sent it. */
  readonly operation: OperationParams;
  readonly #request: GraphQLRequest;
  readonly #rules: RunRules;
  /** As the plugins have left it. */
  #params: SentOperation = {};
  #checked: CheckedOperation | undefined;

  constructor(operation: OperationParams, request: GraphQLRequest, rules: RunRules) {
    this.operation = operation;
    this.#request = request;
    this.#rules = rules;
  }

  /** Before it is parsed. Without other plugins a known operation is answered here. Undefined: its phases follow. */
  begin(params: SentOperation, isAlone: boolean): MaybePromise<ExecutionResult> | undefined {
    this.#params = params;
    const result = isAlone ? this.#answerKnown() : undefined;
    // A plugin may have a result already, which unauthenticated requests do not get.
    if (!result && this.applicationId === undefined) this.parse(params.query ?? '');
    return result;
  }

  /** Executes a document that is cached, and so is valid. The introspection queries of tools have kept responses. */
  #answerKnown(): MaybePromise<ExecutionResult> | undefined {
    const { query = '', operationName, variables } = this.#params;
    const { executor, introspection } = this.callerSchema;
    const data = introspection?.({ query, operationName });
    if (data) return this.#answerIntrospection(data);
    const found = executor.find(query, this.applicationId);
    if (!found) return undefined;
    const document = this.#use(found);
    const { schema } = executor;
    return this.execute({ schema, document, operationName, variableValues: variables });
  }

  #answerIntrospection(data: JsonBytes): MaybePromise<ExecutionResult> {
    const { requestLog } = this.#request;
    requestLog.record({ operation: INTROSPECTION, operationName: INTROSPECTION_NAME });
    this.#request.context.allowance.consumeBytes(data.length);
    return requestLog.operation(INTROSPECTION, () => ({ data: data as never }));
  }

  /** Throws for a document with a syntax error, and for an operation that may not run. */
  parse(query: string): DocumentNode {
    const { limits } = this.#rules;
    const { executor } = this.callerSchema;
    const owner = this.applicationId;
    const maxTokens = owner === undefined ? limits.unauthenticatedTokens : limits.documentTokens;
    return this.#use(executor.parse(query, owner, maxTokens));
  }

  /** Throws for an operation that may not run. */
  #use({ document, tokens }: ReturnType<Executor['parse']>): DocumentNode {
    const { limits } = this.#rules;
    // Documents of one request share the token limit.
    this.#request.tokens += tokens;
    if (this.#request.tokens > limits.tokens) {
      throw new CrossbookError(
        'BAD_REQUEST',
        `The documents of the batch are too large: together they have more than ${limits.tokens} tokens.`,
      );
    }
    const { operationName, variables } = this.#params;
    this.#check({ document, operationName, variables });
    return document;
  }

  /** By the specification's rules, ours, and those that plugins add. */
  validate(document: DocumentNode, rules?: readonly ValidationRule[]): readonly GraphQLError[] {
    return this.callerSchema.executor.validate(document, rules);
  }

  /** Plugins cannot replace the context that resolvers get. */
  execute({
    schema,
    document,
    operationName,
    variableValues,
  }: ExecutionArgs): MaybePromise<ExecutionResult> {
    const { context: contextValue, requestLog, spent } = this.#request;
    const { executor } = this.callerSchema;
    if (schema !== executor.schema)
      throw new Error('A plugin replaced the schema, which is not supported.');
    const operation = { document, operationName, variables: variableValues };
    if (!this.#isChecked(operation)) this.#check(operation);
    const logFields = readOperationLogFields(document, operationName ?? undefined);
    requestLog.record(logFields);
    return requestLog.operation(logFields.operation, () => {
      const args = {
        schema,
        document,
        operationName,
        variableValues,
        contextValue,
        allowance: contextValue.allowance,
      };
      const charged = contextValue.charge(spent.cost);
      return charged ? charged.then(() => executor.execute(args)) : executor.execute(args);
    });
  }

  /** Throws if it may not run; otherwise adds its cost to the request, once. */
  #check(operation: OperationToRun): void {
    const { spent, request, context } = this.#request;
    if (this.#checked) refundCost(spent, this.#checked.cost);
    this.#checked = undefined;
    const cost = checkOperation({
      schema: this.callerSchema.schema,
      document: operation.document,
      operationName: operation.operationName ?? undefined,
      variables: operation.variables ?? {},
      method: request.method,
      isCallerKnown: context.caller !== undefined,
      limits: this.#rules.limits,
      spent,
      responseBytes: context.allowance.bounds.bytes,
    });
    this.#checked = { operation, cost };
  }

  #isChecked({ document, operationName, variables }: OperationToRun): boolean {
    const checked = this.#checked?.operation;
    return (
      checked?.document === document &&
      checked.operationName === operationName &&
      checked.variables === variables
    );
  }

  get callerSchema(): CallerSchema {
    return this.#request.callerSchema;
  }

  get applicationId(): string | undefined {
    return this.#request.context.caller?.application.id;
  }
}

const INTROSPECTION = '__schema';

/** The operation as sent by the client or replaced by a plugin. */
interface SentOperation {
  readonly query?: string | undefined;
  readonly operationName?: string | null | undefined;
  readonly variables?: OperationToRun['variables'];
}

interface OperationToRun {
  readonly document: DocumentNode;
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
}

interface CheckedOperation {
  readonly operation: OperationToRun;
  readonly cost: OperationCost;
}

export interface RunRules {
  readonly documents: PersistedOperations;
  readonly limits: DocumentLimits;
}

/**
 * What the request log records of a valid operation: its root field, from the schema's closed set, and the client's
 * name for it.
 */
export const readOperationLogFields = rememberByOperation((document, operationName) => {
  const operation = getOperationAST(document, operationName);
  const sets = operation ? [operation.selectionSet] : [];
  const { fields } = selectFields(sets, findFragments(document));
  const [only = 'none', another] = new Set(fields.map(({ name }) => name.value));
  return {
    operation: another === undefined ? only : 'several',
    operationName: operation?.name?.value.slice(0, MAX_NAME_LENGTH),
  };
});

/** Limits client-chosen names in the log. */
const MAX_NAME_LENGTH = 200;
