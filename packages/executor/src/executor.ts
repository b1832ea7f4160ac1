import type { GraphQLSchema } from 'graphql';
import {
  createDocumentStore,
  type DocumentStore,
  type DocumentStoreOptions,
} from './documents/document-store.ts';
import { createExecute, type Execute, type ExecuteOptions } from './execution/execute.ts';

/**
 * Parses, validates and executes operations over one schema. Documents are cached with their plans, within one limit of
 * memory.
 */
export function createExecutor(schema: GraphQLSchema, options: ExecutorOptions = {}): Executor {
  const documents = createDocumentStore(schema, options);
  const execute = createExecute(schema, { ...options, onPlanned: documents.addPlan });
  return { ...documents, schema, execute };
}

export interface Executor extends DocumentStore {
  readonly schema: GraphQLSchema;
  /** Executes a valid operation. The result is a promise only if a resolver returns one. */
  readonly execute: Execute;
}

export interface ExecutorOptions extends DocumentStoreOptions, Omit<ExecuteOptions, 'onPlanned'> {}
