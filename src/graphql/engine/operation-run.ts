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
  getOperationAST,
} from 'graphql';
import { CrossbookError } from '../../domain/errors.ts';
import { timeTask } from '../../lib/task-time.ts';
import type { CallerSchema } from '../caller-schemas.ts';
import type { PersistedOperations } from '../over-http/persisted-operations.ts';
import type { GraphQLRequest, OperationParams } from '../over-http/read-request.ts';
import { INTROSPECTION_NAME } from './introspection.ts';
import { checkOperation, type DocumentLimits } from './limits.ts';

/**
 * One run of an operation, with the schema of its caller. It is parsed, checked and validated before any hook but
 * `onParams`, yielding to the event loop in between; documents or variables that a plugin replaces are checked as well.
 */
export class OperationRun {
  /** As the client sent it. */
  readonly operation: OperationParams;
  readonly #request: GraphQLRequest;
  readonly #rules: RunRules;
  #document: DocumentNode | undefined;
  #parseError: unknown;
  #isAnswered = false;
  #checked: CheckedOperation | undefined;

  constructor(operation: OperationParams, request: GraphQLRequest, rules: RunRules) {
    this.operation = operation;
    this.#request = request;
    this.#rules = rules;
  }

  /** Throws or rejects if the operation may not run. */
  prepare(sent: SentOperation): Promise<void> | undefined {
    return this.#isAnswered || this.#prepareKnown(sent) ? undefined : this.#prepareNew(sent);
  }

  /** False if the document is not cached. */
  #prepareKnown({ query = '', operationName, variables }: SentOperation): boolean {
    const found = this.callerSchema.executor.find(query, this.applicationId);
    if (!found) return false;
    const document = this.#useDocument(found);
    this.#checkOperation({ document, operationName, variables });
    return true;
  }

  /** Answers a standard introspection query with a response that is kept. */
  answerIntrospection(data: JsonBytes): Promise<ExecutionResult> {
    this.#isAnswered = true;
    const { requestLog } = this.#request;
    requestLog.record({ operation: INTROSPECTION, operationName: INTROSPECTION_NAME });
    this.#request.context.allowance.consumeBytes(data.length);
    return requestLog.operation(INTROSPECTION, async () => ({ data: data as never }));
  }

  /**
   * Each step is a piece of work, and so is the execution, which plans a new document. Work begins where a turn is
   * given: an `await` in between would let several operations of a batch begin in one turn.
   */
  async #prepareNew({ query = '', operationName, variables }: SentOperation): Promise<void> {
    const { work } = this.#request.context;
    const { executor } = this.callerSchema;
    let document: DocumentNode | undefined;
    const steps = [
      () => {
        document = this.#parse(query);
      },
      () => document && this.#checkOperation({ document, operationName, variables }),
      // The executor keeps the errors for the later call of `validate`.
      () => document && executor.validate(document),
    ];
    for (const step of steps) {
      const turn = work.takeTurn();
      if (turn) await turn;
      step();
    }
    const turn = work.takeTurn();
    if (turn) await turn;
  }

  #parse(query: string): DocumentNode | undefined {
    try {
      const { limits } = this.#rules;
      const owner = this.applicationId;
      const maxTokens = owner === undefined ? limits.unauthenticatedTokens : limits.documentTokens;
      return this.#useDocument(this.callerSchema.executor.parse(query, owner, maxTokens));
    } catch (error) {
      // Without a caller nothing can recover it.
      if (this.applicationId === undefined) throw error;
      // Kept, and thrown in the engine's parse step, where a plugin may still supply a result.
      this.#parseError = error;
      return undefined;
    }
  }

  /** Documents of one request share the token limit. */
  #useDocument({ document, tokens }: ReturnType<Executor['parse']>): DocumentNode {
    const { limits } = this.#rules;
    this.#request.tokens += tokens;
    if (this.#request.tokens > limits.tokens) {
      throw new CrossbookError(
        'BAD_REQUEST',
        `The documents of the batch are too large: together they have more than ${limits.tokens} tokens.`,
      );
    }
    if (tokens > SMALL_DOCUMENT_TOKENS)
      this.#request.context.work.use(document, tokens * DOCUMENT_BYTES_PER_TOKEN);
    this.#document = document;
    return document;
  }

  /** The parse step: throws the error that was kept. */
  readDocument(): DocumentNode {
    if (!this.#document) throw this.#parseError;
    return this.#document;
  }

  /** Charges the request's cost so far, then executes. Plugins cannot replace the context that resolvers get. */
  execute({
    schema,
    document,
    operationName,
    variableValues,
  }: ExecutionArgs): Promise<ExecutionResult> {
    const { context: contextValue, requestLog, spent } = this.#request;
    const { executor } = this.callerSchema;
    if (schema !== executor.schema)
      throw new Error('A plugin replaced the schema, which is not supported.');
    const operation = { document, operationName, variables: variableValues };
    if (!this.#isChecked(operation)) this.#checkOperation(operation);
    const logFields = readOperationLogFields(document, operationName ?? undefined);
    requestLog.record(logFields);
    return requestLog.operation(logFields.operation, async () => {
      await contextValue.charge(spent.cost);
      const turn = spent.cost > LONG_COST ? contextValue.work.takeTurn() : undefined;
      if (turn) await turn;
      const args = {
        schema,
        document,
        operationName,
        variableValues,
        contextValue,
        allowance: contextValue.allowance,
      };
      return timeTask('response', () => executor.execute(args));
    });
  }

  /** Throws if it may not run; otherwise adds its cost to the request, once. */
  #checkOperation(operation: OperationToRun): void {
    const { limits } = this.#rules;
    const { spent, request, context } = this.#request;
    if (this.#checked) refundCost(spent, this.#checked.sizes);
    this.#checked = undefined;
    const sizes = checkOperation({
      schema: this.callerSchema.schema,
      document: operation.document,
      operationName: operation.operationName ?? undefined,
      variables: operation.variables ?? {},
      method: request.method,
      isCallerKnown: context.caller !== undefined,
      limits,
      spent,
      responseBytes: context.allowance.bounds.bytes,
    });
    this.#checked = { operation, sizes };
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
/** Above this cost a request may block the event loop for a tenth of a second. */
const LONG_COST = 20_000;

/** Smaller documents are limited by the number of requests. */
const SMALL_DOCUMENT_TOKENS = 100;
/** Measured: some 140 bytes for fields, less for lists of values, and some for what is executed. */
const DOCUMENT_BYTES_PER_TOKEN = 200;

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
  readonly sizes: OperationCost;
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
