import * as z from 'zod';
import { DEFAULT_PAGE_SIZE, type ListPage } from '../domain/page.ts';
import {
  type Field,
  type Fields,
  readShape,
  type Scalar,
  type Shape,
  type Type,
  wordsOf,
} from '../domain/shape.ts';
import { withIsoDate } from '../lib/text.ts';

/** A described string. Never `format: email`, because CRMs contain addresses that strict validators reject. */
export function text(...described: Parameters<typeof toMeta>) {
  return z.string().meta(toMeta(...described));
}

export function momentText(description: string) {
  return text(description, EXAMPLE_MOMENT, 'date-time');
}

export const EXAMPLE_MOMENT = '2025-03-01T12:00:00.000Z';

/** An enumeration of a response. REST's are in lower case, also where GraphQL's words are in upper case. */
export function enumText(values: readonly string[], description: string, example?: string) {
  return toLowerEnum(values).meta(toMeta(description, example));
}

/** An enumeration of a request, in lower or in upper case. */
export function enumInput<const Value extends string>(
  values: readonly Value[],
  description?: string,
  example?: Value,
) {
  const words = new Map(values.map((value) => [value.toLowerCase(), value]));
  return z
    .preprocess(fromUpperCase, toLowerEnum(values))
    .transform((word) => words.get(word) as Value)
    .meta(toMeta(description, example?.toLowerCase()));
}

function toLowerEnum(values: readonly string[]) {
  return z.enum(values.map((value) => value.toLowerCase()));
}

/** Mixed case is refused: it is a typing mistake more often than a name. */
function fromUpperCase(value: unknown): unknown {
  return typeof value === 'string' && value === value.toUpperCase() ? value.toLowerCase() : value;
}

/** A described object, which has no other fields, under its name in the OpenAPI document. */
export function object<Members extends z.core.$ZodLooseShape>(
  direction: WireDirection,
  id: string,
  description: string,
  members: Members,
) {
  return z.strictObject(members).describe(description).register(COMPONENTS[direction], { id });
}

/** The named schemas of the OpenAPI document. */
export const COMPONENTS = {
  /** Fields with a default are optional. */
  request: z.registry<{ id: string }>(),
  /** Fields with a default are always present. */
  response: z.registry<{ id: string }>(),
};

function toMeta(description?: string, example?: string, format?: 'uuid' | 'date-time' | 'uri') {
  return {
    ...(description !== undefined && { description }),
    ...(example !== undefined && { examples: [example] }),
    ...(format && { format }),
  };
}

export function optional<Schema extends z.ZodType>(schema: Schema, description: string) {
  return schema.optional().describe(description);
}

/** The pagination parameters of a list. */
export function pageQuery({ of, most, cursor }: { of: string; most: number; cursor: string }) {
  return {
    page_size: optional(
      z.int().min(0).max(most),
      `${of} per page, at most ${most}. Default: ${DEFAULT_PAGE_SIZE}.`,
    ),
    cursor: optional(z.string().min(1), cursor),
  };
}

export const nextCursor = z.string().nullable().describe('Cursor of the next page, or null.');
export const pageCursors = {
  next: nextCursor,
  previous: z.string().nullable().describe('Cursor of the previous page, or null.'),
};

/** Fills `pageCursors`: an empty page has them, too, if records are on that side of it. */
export function toPageCursors<Item>(page: ListPage<Item>) {
  return {
    next: page.hasNextPage ? page.cursorOf(page.items.at(-1), 'forward') : null,
    previous: page.hasPreviousPage ? page.cursorOf(page.items[0], 'backward') : null,
  };
}

/** Renames fields of a request to camel case, e.g. `return_url` to `returnUrl`. */
export function toCamelCased<T extends object>(input: T) {
  const renamed = Object.entries(input).map(([name, value]) => [toCamelCase(name), value]);
  return Object.fromEntries(renamed) as { [Name in keyof T as CamelCase<Name & string>]: T[Name] };
}

function toCamelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** In requests null equals absence, or clears a field of a patch. Responses omit null. */
export type WireDirection = 'request' | 'response';

/** The schema of a declared type, one per direction, so that OpenAPI can name it. */
export function toSchema<Declared extends Type>(type: Declared, direction: WireDirection) {
  const made = schemas[direction].get(type) ?? makeSchema(type, direction);
  schemas[direction].set(type, made);
  return made as Declared extends Shape<unknown> ? z.ZodObject : z.ZodType;
}

/** Serializes a declared record for REST. */
export function toWire(shape: Shape<unknown>, record: object): Record<string, unknown> {
  const write = writers.get(shape) ?? makeWriter(shape);
  writers.set(shape, write);
  return write(record);
}

/** Converts a validated record of a request to its declared type. */
export function fromWire<T>(shape: Shape<T>, value: object): T {
  return readShape(shape, value, {
    nameOf: (name) => toSnakeCase(name),
    readUnion: (member) => ({ tag: String(member['type']), member }),
  });
}

/**
 * Generates a function that creates an object at once, because a loop over the fields takes five times as long for
 * thousands of records. Only names of declarations become code.
 */
function makeWriter(shape: Shape<unknown>): Writer {
  const fields = toWireFields(shape.fields);
  const members = fields.map(([name, field, wireName], index) => {
    const value = `record[${JSON.stringify(name)}]`;
    const written = isWrittenAsItIs(field.type)
      ? value
      : `write(fields[${index}][1].type, ${value})`;
    return `${JSON.stringify(wireName)}: ${value} == null ? ${field.nullInRest ? null : undefined} : ${written}`;
  });
  try {
    const body = `return (record) => ({ ${members.join(', ')} });`;
    return new Function('fields', 'write', body)(fields, toWireValue);
  } catch {
    // Code generation from strings is disabled.
    return (record) =>
      Object.fromEntries(
        fields.map(([name, field, wireName]) => {
          const value =
            (record as Record<string, unknown>)[name] ?? (field.nullInRest ? null : undefined);
          return [wireName, value == null ? value : toWireValue(field.type, value)];
        }),
      );
  }
}

function toWireFields(fields: Fields): [name: string, field: Field<unknown>, wireName: string][] {
  return Object.entries(fields)
    .filter(([, { graphqlOnly }]) => !graphqlOnly)
    .map(([name, field]) => [name, field, field.restName ?? toSnakeCase(name)]);
}

function isWrittenAsItIs(type: Type): boolean {
  if (type.kind === 'words')
    return type.isCode ?? wordsOf(type).every((word) => word === word.toLowerCase());
  return type.kind === 'scalar' && type.scalar !== 'date';
}

function toWireValue(type: Type, value: unknown): unknown {
  switch (type.kind) {
    case 'words':
      return type.isCode ? value : String(value).toLowerCase();
    case 'list':
      return (value as readonly unknown[]).map((one) => toWireValue(type.of, one));
    case 'shape':
      return toWire(type, value as object);
    case 'union': {
      const { type: tag } = value as { readonly type: string };
      const shape = type.members[tag];
      return shape && { type: tag, ...toWire(shape, value as object) };
    }
    default:
      return withIsoDate(value);
  }
}

/** `street1` becomes `street_1`. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`);
}

const writers = new Map<Shape<unknown>, Writer>();

const schemas = { request: new Map<Type, z.ZodType>(), response: new Map<Type, z.ZodType>() };

function makeSchema(type: Type, direction: WireDirection): z.ZodType {
  switch (type.kind) {
    case 'scalar':
      return SCALARS[type.scalar] ?? z.string();
    case 'words':
      if (type.isCode) return z.enum(wordsOf(type));
      return direction === 'request' ? enumInput(wordsOf(type)) : toLowerEnum(wordsOf(type));
    case 'list':
      return z.array(toSchema(type.of, direction));
    case 'shape':
      return z.strictObject(toFields(type.fields, direction)).describe(type.description);
    case 'union': {
      const members = Object.entries(type.members).map(([tag, { description, fields }]) =>
        z.strictObject({
          type: z.literal(tag).describe(description),
          ...toFields(fields, direction),
        }),
      );
      return z
        .discriminatedUnion('type', members as unknown as [z.ZodObject])
        .describe(type.description);
    }
  }
}

/** All others are strings. */
const SCALARS: Partial<Record<Scalar<unknown>['scalar'], z.ZodType>> = {
  int: z.int(),
  float: z.number(),
  boolean: z.boolean(),
  json: z.record(z.string(), z.unknown()),
};

function toFields(fields: Fields, direction: WireDirection): Record<string, z.ZodType> {
  const members = toWireFields(fields).map(([, field, name]) => [name, toField(field, direction)]);
  return Object.fromEntries(members);
}

function toField(field: Field<unknown>, direction: WireDirection): z.ZodType {
  const {
    type,
    nullable,
    optional,
    leftOutOfRest,
    nullInRest,
    description,
    example,
    deprecated,
    most,
  } = field;
  const plain = toSchema(type, direction);
  const schema = plain instanceof z.ZodArray && most !== undefined ? plain.max(most) : plain;
  const mayLack = direction === 'response' ? nullable || leftOutOfRest : optional;
  const withNull =
    nullable && direction === 'request' ? schema.nullish() : mayLack ? schema.optional() : schema;
  // A response has null instead of nothing.
  const isNull = nullInRest && direction === 'response';
  return (isNull ? schema.nullable() : withNull).meta({
    ...readFormat(type, direction),
    description,
    ...(example !== undefined && { examples: [example] }),
    ...(deprecated !== undefined && { deprecated: true }),
  });
}

function readFormat(type: Type, direction: WireDirection): object {
  const scalar = type.kind === 'scalar' ? type.scalar : undefined;
  if (scalar === 'uuid') return { format: 'uuid' };
  // In requests no format is given, because the use case validates more than a format can express.
  if (scalar === 'url' && direction === 'response') return { format: 'uri' };
  if (scalar === 'day') return direction === 'response' ? { format: 'date' } : {};
  if (scalar !== 'moment' && scalar !== 'date') return {};
  return { format: 'date-time', examples: [EXAMPLE_MOMENT] };
}

type Writer = (record: object) => Record<string, unknown>;
