import * as z from 'zod';
import { CrossbookError } from '../domain/errors.ts';
import type { Field, Fields, Scalar, Shape, Type } from '../domain/shape.ts';
import { wordsOf } from '../domain/shape.ts';
import { checkInput } from '../request/check-input.ts';

/** The JSON Schema of an object with these fields, as results have it: names as declared, null where it may be. */
export function toObjectSchema(fields: Fields, description?: string): JsonSchema {
  const properties = Object.entries(fields).map(([name, field]) => [name, toFieldSchema(field)]);
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties: Object.fromEntries(properties),
    required: Object.keys(fields),
    additionalProperties: false,
  };
}

/** The same without descriptions: the names of a record's fields say enough, and a model reads all schemas. */
export function toBriefSchema(type: Type): JsonSchema {
  switch (type.kind) {
    case 'list':
      return { type: 'array', items: toBriefSchema(type.of) };
    case 'shape': {
      const properties = Object.entries(type.fields).map(([name, field]) => {
        const schema = toBriefSchema(field.type);
        return [name, field.nullable ? orNull(schema) : schema];
      });
      return { type: 'object', properties: Object.fromEntries(properties) };
    }
    default:
      return toTypeSchema(type);
  }
}

function toFieldSchema({ type, nullable, description }: Field<unknown>): JsonSchema {
  const schema = toTypeSchema(type);
  return { ...(nullable ? orNull(schema) : schema), description };
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values, ...rest } = schema;
  return {
    type: [type, 'null'],
    ...rest,
    ...(Array.isArray(values) && { enum: [...values, null] }),
  };
}

function toTypeSchema(type: Type): JsonSchema {
  switch (type.kind) {
    case 'scalar':
      return SCALARS[type.scalar] ?? { type: 'string' };
    case 'words': {
      const values = wordsOf(type);
      return { type: 'string', ...(values.length <= MAX_VALUES_LISTED && { enum: values }) };
    }
    case 'list':
      return { type: 'array', items: toTypeSchema(type.of) };
    case 'shape':
      return toObjectSchema(type.fields, type.description);
    case 'union':
      return { type: 'object', description: type.description };
  }
}

/** A result says itself which of many values it has: listing them takes a part of the agent's context. */
const MAX_VALUES_LISTED = 8;

/** No format but that of timestamps, which are normalized: CRMs contain URLs that strict validators reject. */
const SCALARS: Partial<Record<Scalar<unknown>['scalar'], JsonSchema>> = {
  int: { type: 'integer' },
  float: { type: 'number' },
  boolean: { type: 'boolean' },
  json: { type: 'object' },
  moment: { type: 'string', format: 'date-time' },
  date: { type: 'string', format: 'date-time' },
  day: { type: 'string', format: 'date' },
};

/** Copies the declared fields of a record, and nothing else. */
export function toRecord(fields: Fields, record: object): Record<string, unknown> {
  const values: Readonly<Record<string, unknown>> = { ...record };
  return Object.fromEntries(
    Object.keys(fields).map((name) => {
      const value = values[name] ?? null;
      return [name, value instanceof Date ? value.toISOString() : value];
    }),
  );
}

/** The declared fields of these names. */
export function pickFields(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
}

/** The one error format, as in the other APIs: here only what an agent acts on. */
export const errorSchema: JsonSchema = {
  type: 'object',
  description: 'What went wrong, and in meta whether and when to try again.',
  properties: {
    code: { type: 'string' },
    detail: { type: 'string', description: 'What went wrong, and what to do.' },
    meta: { type: 'object' },
  },
  required: ['code', 'detail', 'meta'],
};

/** An argument whose fields are all optional, such as a filter. */
export function toOptionalInput({ fields, description }: Shape<unknown>): z.ZodObject {
  const members = Object.entries(fields).map(([name, { type, description, most }]) => {
    const input = toInput(type);
    const bounded = input instanceof z.ZodArray && most !== undefined ? input.max(most) : input;
    return [name, bounded.optional().describe(description)];
  });
  return z.strictObject(Object.fromEntries(members)).describe(description);
}

/** One record of a write: null clears, and what is absent stays. */
export function toArgument({ fields, description }: Shape<unknown>): z.ZodObject {
  const members = Object.entries(fields).map(([name, { type, description, ...field }]) => {
    const input = type.kind === 'shape' ? toArgument(type) : toInput(type);
    const bounded =
      input instanceof z.ZodArray && field.most !== undefined ? input.max(field.most) : input;
    const given = field.nullable ? bounded.nullable() : bounded;
    const isOptional = field.nullable || field.optional;
    return [name, (isOptional ? given.optional() : given).describe(description)];
  });
  return z.strictObject(Object.fromEntries(members)).describe(description);
}

function toInput(type: Type): z.ZodType {
  switch (type.kind) {
    case 'scalar':
      return INPUTS[type.scalar] ?? z.string();
    case 'words':
      return z.enum(wordsOf(type));
    case 'list':
      return z.array(toInput(type.of));
    case 'shape': {
      const members = Object.entries(type.fields).map(([name, one]) => {
        const input = toInput(one.type);
        const given = one.nullable ? input.nullish() : one.optional ? input.optional() : input;
        return [name, given.describe(one.description)];
      });
      return z.strictObject(Object.fromEntries(members));
    }
    case 'union':
      throw new TypeError('No argument is a union.');
  }
}

const INPUTS: Partial<Record<Scalar<unknown>['scalar'], z.ZodType>> = {
  int: z.int(),
  float: z.number(),
  boolean: z.boolean(),
  json: z.record(z.string(), z.unknown()),
};

/** The JSON Schema of arguments, without those that this caller does not have. */
export function toInputSchema(input: z.ZodObject, without: readonly string[]): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(input, { io: 'input' });
  const { properties = {}, required = [] } = schema;
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).filter(([name]) => !without.includes(name)),
    ),
    required: required.filter((name) => !without.includes(name)),
  };
}

/** Checks the arguments of a tool by its schema. Nothing but their size is looked at before, and nothing else limits it. */
export function readArguments<Input extends z.ZodObject>(
  input: Input,
  args: Readonly<Record<string, unknown>>,
): z.output<Input> {
  if (hasMoreValues(args, MAX_VALUES))
    throw new CrossbookError(
      'BAD_REQUEST',
      `The arguments of a tool can have at most ${MAX_VALUES} values.`,
    );
  return checkInput(input, args);
}

/** Whether a value contains more than this many values. Looks at no more than that. */
function hasMoreValues(value: unknown, max: number): boolean {
  let count = 0;
  const waiting = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    // Names alone first: the values of 70,000 members take 20 ms.
    count += Array.isArray(next) ? next.length : Object.keys(next).length;
    if (count > max) return true;
    waiting.push(...Object.values(next));
  }
  return false;
}

/** More than any tool takes: a filter by 1,000 emails has the most. */
const MAX_VALUES = 2_000;

export type JsonSchema = Readonly<Record<string, unknown>>;
