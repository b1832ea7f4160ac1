import type { Executor } from '@crossbook/executor';
import type { GraphQLSchema } from 'graphql';
import type { CustomFieldsByRecord } from '../domain/custom-fields.ts';
import { digest } from '../lib/digest.ts';
import type { RequestContext } from '../request/context.ts';
import type { KnownIntrospection } from './engine/introspection.ts';
import { hasTypedFields, type TypedFieldsByRecord, toTypedFields } from './typed-fields.ts';

/** A schema and what depends on it: its documents and plans, and its responses to introspection. */
export interface CallerSchema {
  readonly schema: GraphQLSchema;
  readonly executor: Executor;
  /** Undefined if introspection is off, and for typed schemas, whose responses are not kept. */
  readonly introspection: KnownIntrospection | undefined;
}

/**
 * Finds the schema of a request: the common one, or the typed one of the caller's application, made at its first
 * request. Typed schemas are kept by application within a limit of memory; a changed declaration replaces the one
 * before, which requests that have begun with it still use.
 */
export function createCallerSchemas(options: CallerSchemaOptions): CallerSchemas {
  const { common, makeSchema, maxBytes = MAX_BYTES } = options;
  const cached = new Map<string, CachedSchema>();
  const ours = new WeakSet([common.schema]);
  let bytes = 0;

  return {
    find(request) {
      const { caller } = request;
      if (!caller) return common;
      const { id } = caller.application;
      const customFields = request.loadCustomFields();
      return customFields instanceof Promise
        ? customFields.then((loaded) => choose(id, loaded))
        : choose(id, customFields);
    },
    has: (schema) => ours.has(schema),
    counts: () => ({ schemas: cached.size, bytes }),
  };

  /** A request uses its schema to the end, also after another one has taken its place. */
  function choose(applicationId: string, customFields: CustomFieldsByRecord): CallerSchema {
    const typedSchema = toTypedSchema(customFields);
    if (!typedSchema) return common;
    return findCached(applicationId, typedSchema) ?? open(applicationId, typedSchema);
  }

  function findCached(applicationId: string, { key }: TypedSchema): CachedSchema | undefined {
    const found = cached.get(applicationId);
    if (found?.key !== key) return undefined;
    // Maps keep insertion order, so the first is the least recently used.
    cached.delete(applicationId);
    cached.set(applicationId, found);
    return found;
  }

  function open(applicationId: string, { typed, key }: TypedSchema): CachedSchema {
    const schema = makeSchema(typed);
    ours.add(schema);
    const made = {
      schema,
      executor: common.executor.forSchema(schema),
      introspection: undefined,
      key,
      bytes: measure(typed),
    };
    close(applicationId);
    cached.set(applicationId, made);
    bytes += made.bytes;
    for (const oldest of cached.keys()) {
      if (bytes <= maxBytes || oldest === applicationId) break;
      close(oldest);
    }
    return made;
  }

  function close(applicationId: string): void {
    const closed = cached.get(applicationId);
    if (!closed) return;
    cached.delete(applicationId);
    bytes -= closed.bytes;
    closed.executor.close();
  }
}

/** The schema of an application: null if it is the common one. Computed once for each time that it is read. */
function toTypedSchema(customFields: CustomFieldsByRecord): TypedSchema | null {
  const known = remembered.get(customFields);
  if (known !== undefined) return known;
  const typed = toTypedFields(customFields);
  const typedSchema = hasTypedFields(typed) ? { typed, key: toKey(typed) } : null;
  remembered.set(customFields, typedSchema);
  return typedSchema;
}

const remembered = new WeakMap<CustomFieldsByRecord, TypedSchema | null>();

/** Equal for declarations with the same schema. */
function toKey(typed: TypedFieldsByRecord): string {
  const parts = Object.entries(typed).map(([record, fields]) => [
    record,
    fields.map(({ name, type, description }) => [name, type, description]),
  ]);
  return digest(JSON.stringify(parts));
}

interface TypedSchema {
  readonly typed: TypedFieldsByRecord;
  readonly key: string;
}

function measure(typed: TypedFieldsByRecord): number {
  const fields = Object.values(typed).flat();
  const texts = fields.reduce((sum, { description }) => sum + (description?.length ?? 0), 0);
  return SCHEMA_BYTES + fields.length * FIELD_BYTES + 2 * texts;
}

/** The limit of the typed schemas of all applications: some two hundred with few fields. */
const MAX_BYTES = 28 * 1024 * 1024;
/** Measured: a copy of the common schema, and what a field adds to it. */
const SCHEMA_BYTES = 135 * 1024;
const FIELD_BYTES = 700;

export interface CallerSchemas {
  find(request: CallerRequest): CallerSchema | Promise<CallerSchema>;
  /** Whether it is the common schema or a typed one: a plugin may put no other in its place. */
  has(schema: GraphQLSchema): boolean;
  counts(): { readonly schemas: number; readonly bytes: number };
}

type CallerRequest = Pick<RequestContext, 'caller' | 'loadCustomFields'>;

interface CallerSchemaOptions {
  readonly common: CallerSchema;
  makeSchema(customFields: TypedFieldsByRecord): GraphQLSchema;
  /** The limit of all typed schemas. */
  readonly maxBytes?: number;
}

interface CachedSchema extends CallerSchema {
  readonly key: string;
  readonly bytes: number;
}
