import type { Executor } from '@crossbook/executor';
import type { GraphQLSchema } from 'graphql';
import type { CustomField, CustomFields } from '../domain/custom-fields.ts';
import { digest } from '../lib/digest.ts';
import type { RequestContext } from '../request/context.ts';
import type { KnownIntrospection } from './engine/introspection.ts';

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
  const kept = new Map<string, KeptSchema>();
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
    counts: () => ({ schemas: kept.size, bytes }),
  };

  /** A request uses its schema to the end, also after another one has taken its place. */
  function choose(applicationId: string, customFields: CustomFields): CallerSchema {
    if (!customFields.typedSchema || customFields.definitions.length === 0) return common;
    return findKept(applicationId, customFields) ?? open(applicationId, customFields);
  }

  function findKept(applicationId: string, customFields: CustomFields): KeptSchema | undefined {
    const found = kept.get(applicationId);
    if (found?.key !== toKey(customFields)) return undefined;
    // Maps keep insertion order, so the first is the least recently used.
    kept.delete(applicationId);
    kept.set(applicationId, found);
    return found;
  }

  function open(applicationId: string, customFields: CustomFields): KeptSchema {
    const schema = makeSchema(customFields.definitions);
    ours.add(schema);
    const made = {
      schema,
      executor: common.executor.forSchema(schema),
      introspection: undefined,
      key: toKey(customFields),
      bytes: measure(customFields.definitions),
    };
    close(applicationId);
    kept.set(applicationId, made);
    bytes += made.bytes;
    for (const oldest of kept.keys()) {
      if (bytes <= maxBytes || oldest === applicationId) break;
      close(oldest);
    }
    return made;
  }

  function close(applicationId: string): void {
    const closed = kept.get(applicationId);
    if (!closed) return;
    kept.delete(applicationId);
    bytes -= closed.bytes;
    closed.executor.close();
  }
}

/** Equal for declarations with the same schema. */
function toKey(customFields: CustomFields): string {
  const known = keys.get(customFields);
  if (known !== undefined) return known;
  const parts = customFields.definitions.map(({ name, type, description }) => [
    name,
    type,
    description,
  ]);
  const key = digest(JSON.stringify(parts));
  keys.set(customFields, key);
  return key;
}

/** Computed once for each time that a declaration is read. */
const keys = new WeakMap<CustomFields, string>();

function measure(fields: readonly CustomField[]): number {
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
  makeSchema(customFields: readonly CustomField[]): GraphQLSchema;
  /** The limit of all typed schemas. */
  readonly maxBytes?: number;
}

interface KeptSchema extends CallerSchema {
  readonly key: string;
  readonly bytes: number;
}
