import type { GraphQLSchema } from 'graphql';
import {
  createDocumentCache,
  createDocumentStore,
  type DocumentCache,
  type DocumentStore,
  type DocumentStoreOptions,
} from './documents/document-store.ts';
import { createExecute, type Execute, type ExecuteOptions } from './execution/execute.ts';

/**
 * Parses, validates and executes operations over one schema. Documents are cached with their plans, within one limit of
 * memory.
 */
export function createExecutor(schema: GraphQLSchema, options: ExecutorOptions = {}): Executor {
  return openExecutor(schema, options, createDocumentCache());
}

function openExecutor(
  schema: GraphQLSchema,
  options: ExecutorOptions,
  cache: DocumentCache,
): Executor {
  const documents = createDocumentStore(schema, options, cache);
  const execute = createExecute(schema, { ...options, onPlanned: documents.addPlan });
  const forSchema = (other: GraphQLSchema) => openExecutor(other, options, cache.openPart());
  return { ...documents, schema, execute, forSchema };
}

export interface Executor extends DocumentStore {
  readonly schema: GraphQLSchema;
  /** Executes a valid operation. The result is a promise only if a resolver returns one. */
  readonly execute: Execute;
  /**
   * An executor with the same options over another schema. They share the limit of memory, and no document or plan.
   * `close` it when the schema is no longer used; what it executes then ends as usual.
   */
  forSchema(schema: GraphQLSchema): Executor;
}

export interface ExecutorOptions extends DocumentStoreOptions, Omit<ExecuteOptions, 'onPlanned'> {}
