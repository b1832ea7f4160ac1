import * as z from 'zod';
import { readShape } from '../domain/read-shape.ts';
import type { Field, Fields, Scalar, Shape, Type } from '../domain/shape.ts';

/** In requests null means the same as absence, or clears a field of a patch. Answers leave out what is null. */
export type Direction = 'asked' | 'answered';

/** The schema of what is declared: one for each direction, so that OpenAPI can name it. */
export function toSchema<T>(shape: Shape<T>, direction: Direction): z.ZodObject;
export function toSchema(type: Type, direction: Direction): z.ZodType;
export function toSchema(type: Type, direction: Direction): z.ZodType {
  const made = schemas[direction].get(type) ?? makeSchema(type, direction);
  schemas[direction].set(type, made);
  return made;
}

/** A declared record as REST writes it. */
export function toWire(shape: Shape<unknown>, record: object): Record<string, unknown> {
  const wire: Record<string, unknown> = {};
  for (const [name, { type, graphqlOnly }] of Object.entries(shape.fields)) {
    const value = (record as Record<string, unknown>)[name];
    if (value !== null && value !== undefined && !graphqlOnly)
      wire[toSnakeCase(name)] = toWireValue(type, value);
  }
  return wire;
}

/** A record of a request, checked by its schema, as it is declared. */
export function fromWire<T>(shape: Shape<T>, given: object): T {
  return readShape(shape, given, {
    nameOf: toSnakeCase,
    readUnion: (member) => ({ tag: String(member['type']), member }),
  });
}

function toWireValue(type: Type, value: unknown): unknown {
  switch (type.kind) {
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
      return value instanceof Date ? value.toISOString() : value;
  }
}

/** `street1` is `street_1`. */
function toSnakeCase(name: string): string {
  const known = snakeCased.get(name) ?? name.replace(/[A-Z]|\d+/g, (part) => `_${part.toLowerCase()}`);
  snakeCased.set(name, known);
  return known;
}

const snakeCased = new Map<string, string>();

const schemas = { asked: new Map<Type, z.ZodType>(), answered: new Map<Type, z.ZodType>() };

function makeSchema(type: Type, direction: Direction): z.ZodType {
  switch (type.kind) {
    case 'scalar':
      return makeScalar(type);
    case 'words':
      return z.enum(Object.keys(type.words));
    case 'list':
      return z.array(toSchema(type.of, direction));
    case 'shape':
      return z.strictObject(toFields(type.fields, direction)).describe(type.description);
    case 'union': {
      const members = Object.entries(type.members).map(([tag, { description, fields }]) =>
        z.strictObject({ type: z.literal(tag).describe(description), ...toFields(fields, direction) }),
      );
      return z.discriminatedUnion('type', members as unknown as [z.ZodObject]).describe(type.description);
    }
  }
}

function makeScalar({ scalar }: Scalar<unknown>): z.ZodType {
  if (scalar === 'int') return z.int();
  if (scalar === 'boolean') return z.boolean();
  return scalar === 'json' ? z.record(z.string(), z.unknown()) : z.string();
}

function toFields(fields: Fields, direction: Direction): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, { graphqlOnly }]) => !graphqlOnly)
      .map(([name, field]) => [toSnakeCase(name), toField(field, direction)]),
  );
}

function toField(field: Field<unknown>, direction: Direction): z.ZodType {
  const { type, nullable, optional, leftOutOfRest, description, example, deprecated } = field;
  const schema = toSchema(type, direction);
  const mayLack = direction === 'answered' ? nullable || leftOutOfRest : optional;
  const given = nullable && direction === 'asked' ? schema.nullish() : mayLack ? schema.optional() : schema;
  return given.meta({
    ...readFormat(type, direction),
    description,
    ...(example !== undefined && { examples: [example] }),
    ...(deprecated !== undefined && { deprecated: true }),
  });
}

/** No `format: email` anywhere: CRMs hold addresses that strict validators refuse. */
function readFormat(type: Type, direction: Direction): object {
  const scalar = type.kind === 'scalar' ? type.scalar : undefined;
  if (scalar === 'uuid') return { format: 'uuid' };
  // What is asked with is checked where it is stored, by more than a format could say.
  if (scalar === 'url' && direction === 'answered') return { format: 'uri' };
  if (scalar !== 'moment' && scalar !== 'date') return {};
  return { format: 'date-time', examples: ['2025-03-01T12:00:00.000Z'] };
}
