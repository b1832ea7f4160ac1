import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import { CrossbookError } from '../../domain/errors.ts';
import type { Execute } from '../compiled/execute.ts';
import type { OperationCost } from '../cost-analysis.ts';
import { findFragments, selectFields } from '../document-limits.ts';
import { INTROSPECTION_NAME, type KnownIntrospection } from '../introspection.ts';
import { checkOperation, type DocumentLimits, refundCost } from '../limits.ts';
import { type PersistedOperations, readHash } from '../over-http/persisted-operations.ts';
import { allowanceOf, type GraphQLRequest, type OperationParams } from '../over-http/read-request.ts';
import type { DocumentStore } from './document-store.ts';
import type { Plugins } from './plugins.ts';

/** Runs operations by the steps of `OperationRun`. Yoga, which calls plugins between these steps, is loaded where there are any. */
export async function openOperationEngine(
  rules: RunRules,
  plugins: Plugins | undefined,
): Promise<OperationEngine> {
  if (plugins) {
    const { createPluginEngine } = await import('./plugins.ts');
    return createPluginEngine({ ...rules, plugins });
  }
  return {
    run: (operation, opened) => new OperationRun(operation, opened, rules).run(),
    close: async () => {},
  };
}

export interface OperationEngine {
  /** Resolves whatever happens: errors are in the result. */
  run(operation: OperationParams, opened: GraphQLRequest): Promise<ExecutionResult>;
  /** For plugins that have something to close. */
  close(): Promise<void>;
}

/**
 * One operation on its way through the engine. It is parsed, checked and validated before plugins see it, with turns of the
 * event loop between; where a plugin puts another document or other variables in place, those are looked at as well.
 */
export class OperationRun {
  readonly #operation: OperationParams;
  readonly #opened: GraphQLRequest;
  readonly #rules: RunRules;
  #document: DocumentNode | undefined;
  #failure: unknown;
  #errors: readonly GraphQLError[] = NONE;
  #checked: CheckedOperation | undefined;

  constructor(operation: OperationParams, opened: GraphQLRequest, rules: RunRules) {
    this.#operation = operation;
    this.#opened = opened;
    this.#rules = rules;
  }

  /** From its text to its result. Resolves whatever happens: errors are in the result. */
  async run(): Promise<ExecutionResult> {
    try {
      const { operationName, variables } = this.#operation;
      const sent = { query: this.findText(this.#operation), operationName, variables };
      if (!this.#prepareKnown(sent)) {
        const introspection = this.#answerIntrospection(sent);
        if (introspection) return await introspection;
        await this.#prepareNew(sent);
      }
      const document = this.readDocument();
      const errors = this.validate(document);
      if (errors.length > 0) return { errors };
      const { schema } = this.#rules;
      return await this.execute({ schema, document, operationName, variableValues: variables });
    } catch (error) {
      return { errors: [error as GraphQLError] };
    }
  }

  /** The text that is to run. For one that a plugin has put in place, the hash that was sent says nothing. */
  findText({ query }: SentOperation): string {
    const { documents } = this.#rules;
    const sent = this.#operation;
    const isSent = query === sent.query;
    const hasHash = isSent && (sent.documentId ?? sent.extensions) !== undefined;
    // Of a closed list it was found when the request was read.
    if (query !== undefined && (documents.isClosed ? isSent : !hasHash)) return query;
    return documents.find({ query, hash: hasHash ? readHash(sent) : undefined, applicationId: this.#owner });
  }

  /** Throws or rejects where the operation may not run. */
  prepare(sent: SentOperation): Promise<void> | undefined {
    return this.#prepareKnown(sent) ? undefined : this.#prepareNew(sent);
  }

  /** False where its document is not in the store. */
  #prepareKnown({ query = '', operationName, variables }: SentOperation): boolean {
    const found = this.#rules.store.find(query, this.#owner);
    if (!found) return false;
    this.#countTokens(found.tokens);
    this.#document = found.document;
    this.#checkOperation({ document: found.document, operationName, variables });
    return true;
  }

  /** Undefined where it is not one of the known questions about the schema. */
  #answerIntrospection({ query = '', operationName }: SentOperation): Promise<ExecutionResult> | undefined {
    const data = this.#rules.introspection?.({ query, operationName });
    if (!data) return undefined;
    const { requestLog } = this.#opened;
    requestLog.record({ operation: INTROSPECTION, operationName: INTROSPECTION_NAME });
    allowanceOf(this.#opened).consumeBytes(data.length);
    return requestLog.operation(INTROSPECTION, async () => ({ data: data as never }));
  }

  /** The documents of one request are parsed one after the other. */
  async #prepareNew({ query = '', operationName, variables }: SentOperation): Promise<void> {
    const { permit } = this.#opened.requestLog;
    await permit.takeTurn();
    try {
      this.#document = this.#parse(query);
    } catch (error) {
      // A plugin may have a result at hand for it.
      if (this.#owner === undefined) throw error;
      // Plugins see it where the engine parses.
      this.#failure = error;
      return;
    }
    await permit.takeTurn();
    this.#checkOperation({ document: this.#document, operationName, variables });
    await permit.takeTurn();
    this.#errors = this.#rules.store.validate(this.#document);
  }

  #parse(text: string): DocumentNode {
    const { store, limits } = this.#rules;
    const { document, tokens } = store.parse(text, { owner: this.#owner, limits });
    this.#countTokens(tokens);
    return document;
  }

  /** The documents of one request share the bound. */
  #countTokens(tokens: number): void {
    const { limits } = this.#rules;
    this.#opened.tokens += tokens;
    if (this.#opened.tokens <= limits.tokens) return;
    throw new CrossbookError(
      'BAD_REQUEST',
      `The documents of the batch are too large: together they have more than ${limits.tokens} tokens.`,
    );
  }

  /** For the engine. */
  readDocument(): DocumentNode {
    if (!this.#document) throw this.#failure;
    return this.#document;
  }

  /** By the rules of the specification, ours, and those that plugins add. */
  validate(document: DocumentNode, rules: readonly ValidationRule[] = NONE): readonly GraphQLError[] {
    const { schema, store } = this.#rules;
    const errors = document === this.#document ? this.#errors : store.validate(document);
    if (errors.length > 0 || rules.length <= specifiedRules.length) return errors;
    const added = rules.filter((rule) => !specifiedRules.includes(rule));
    return added.length > 0 ? validate(schema, document, added) : errors;
  }

  /** Charged by what its request costs so far. Resolvers see our request, and nothing of the server's. */
  execute({ schema, document, operationName, variableValues }: ExecutionArgs): Promise<ExecutionResult> {
    const { context: contextValue, requestLog, spent } = this.#opened;
    if (schema !== this.#rules.schema) throw new Error('A plugin puts another schema in place of ours.');
    const operation = { document, operationName, variables: variableValues };
    if (!this.#isChecked(operation)) this.#checkOperation(operation);
    const allowance = allowanceOf(this.#opened);
    const notes = readOperationNotes(document, operationName ?? undefined);
    requestLog.record(notes);
    return requestLog.operation(notes.operation, async () => {
      const charged = contextValue?.charge(spent.cost);
      if (charged) await charged;
      if (spent.cost > LONG_COST) await requestLog.permit.takeTurn();
      const args = { schema, document, operationName, variableValues, contextValue, allowance };
      return this.#rules.execute(args);
    });
  }

  /** Throws where it may not run; else it is counted among the operations of its request, once. */
  #checkOperation(operation: OperationToRun): void {
    const { schema, limits } = this.#rules;
    const { spent, request, context } = this.#opened;
    if (this.#checked) refundCost(spent, this.#checked.sizes);
    this.#checked = undefined;
    const sizes = checkOperation({
      schema,
      document: operation.document,
      operationName: operation.operationName ?? undefined,
      variables: operation.variables ?? {},
      method: request.method,
      isCallerKnown: context?.caller !== undefined,
      limits,
      spent,
      responseBytes: allowanceOf(this.#opened).bounds.bytes,
    });
    this.#checked = { ...operation, sizes };
  }

  #isChecked({ document, operationName, variables }: OperationToRun): boolean {
    const checked = this.#checked;
    return (
      checked?.document === document &&
      checked.operationName === operationName &&
      checked.variables === variables
    );
  }

  get #owner(): string | undefined {
    return this.#opened.context?.caller?.application.id;
  }
}

const NONE: readonly never[] = [];
const INTROSPECTION = '__schema';
/** A request whose operations have cost this much so far may hold the event loop for a tenth of a second. */
const LONG_COST = 20_000;

/** As the request, or a plugin, has it. */
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

interface CheckedOperation extends OperationToRun {
  readonly sizes: OperationCost;
}

export interface RunRules {
  readonly schema: GraphQLSchema;
  readonly execute: Execute;
  readonly store: DocumentStore;
  readonly documents: PersistedOperations;
  readonly limits: DocumentLimits;
  /** Undefined where each question about the schema goes the whole way. */
  readonly introspection: KnownIntrospection | undefined;
}

/** What a request log notes of a valid operation: its root field, one of the schema's few, and the name that the client gave. */
export function readOperationNotes(
  document: DocumentNode,
  operationName: string | undefined,
): OperationNotes {
  const ofDocument = kept.get(document) ?? new Map<string | undefined, OperationNotes>();
  const existing = ofDocument.get(operationName);
  if (existing) return existing;
  const operation = getOperationAST(document, operationName);
  const sets = operation ? [operation.selectionSet] : [];
  const { fields } = selectFields(sets, findFragments(document));
  const [only = 'none', another] = new Set(fields.map(({ name }) => name.value));
  const notes = {
    operation: another === undefined ? only : 'several',
    operationName: operation?.name?.value.slice(0, MAX_NAME_LENGTH),
  };
  kept.set(document, ofDocument.set(operationName, notes));
  return notes;
}

/** The log has no room for what a client may call an operation. */
const MAX_NAME_LENGTH = 200;

/** Of documents that come again and again. */
const kept = new WeakMap<DocumentNode, Map<string | undefined, OperationNotes>>();

interface OperationNotes {
  readonly operation: string;
  readonly operationName: string | undefined;
}
