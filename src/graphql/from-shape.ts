import type { FieldMap, InputFieldMap } from '@pothos/core';
import {
  type Field,
  type Fields,
  nullable,
  readShape,
  type Shape,
  type Type,
  type Union,
  type Words,
} from '../domain/shape.ts';
import type { RequestContext } from '../request/context.ts';
import { builder } from './builder.ts';
import { costs } from './cost.ts';

/** Object type fields from a declared shape: `fields: (t) => ({ ...exposeFields(t, customer), … })`. */
export function exposeFields(t: object, { fields }: Shape<unknown>, resolvers: Resolvers = {}): FieldMap {
  const { expose, field: compute } = t as OutputBuilder;
  return mapFields(fields, (field, name) => {
    const { description, nullable, items, weight } = field;
    const facts = {
      ...{ type: outputOf(field.type), description, nullable, ...toDeprecation(field) },
      ...costs({ ...(items !== undefined && { items }), ...(weight !== undefined && { weight }) }),
    };
    const resolve = resolvers[name] ?? (isDate(field) ? readDate(name) : undefined);
    return resolve ? compute.call(t, { ...facts, resolve }) : expose.call(t, name, facts);
  });
}

/** Input fields from a declared shape; `readInputShape` reads their values into a record. */
function inputFields(t: object, { fields }: Pick<Shape<unknown>, 'fields'>): InputFieldMap {
  return mapFields(fields, (field) => {
    const { type, description, defaultValue, nullable, optional, emptyInGraphQL } = field;
    return (t as InputBuilder).field({
      ...{ type: inputOf(type), description, ...toDeprecation(field) },
      ...(defaultValue !== undefined && { defaultValue }),
      required: !nullable && !optional && !emptyInGraphQL,
    });
  });
}

function mapFields<Made>(
  fields: Fields,
  make: (field: Field<unknown>, name: string) => Made,
): Record<string, Made> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, make(field, name)]));
}

function toDeprecation({ deprecated }: Field<unknown>) {
  return deprecated !== undefined && { deprecationReason: deprecated };
}

function isDate({ type }: Field<unknown>): boolean {
  return type.kind === 'scalar' && type.scalar === 'date';
}

function readDate(name: string) {
  return (record: object) => (record as Record<string, Date | null>)[name]?.toISOString() ?? null;
}

export function readInputShape<T>(shape: Shape<T>, given: object): T {
  return readShape(shape, given, {
    nameOf: (name) => name,
    readUnion(members) {
      const [[tag, member] = ['', {}]] = Object.entries(members).filter(([, value]) => value);
      return { tag, member: member as object };
    },
  });
}

/** The object type of a shape, generated from its fields unless one is registered. */
export function objectOf<T>(shape: Shape<T>): ObjectRef<T> {
  return outputOf(shape) as ObjectRef<T>;
}

/** Registers the object type of a shape that has more than its fields. */
export function registerObject<Ref extends object>(shape: Shape<unknown>, ref: Ref): Ref {
  outputs.set(shape, ref);
  return ref;
}

/** The enum type of declared words, with their descriptions; its values are those words. */
export function enumOf<T extends string>(type: Words<T>): EnumRef<T> {
  return remember(enums, type, () => {
    const { name, description, words } = type;
    const entries = Object.entries<string>(words).map(([value, meaning]) => [
      SPELLED[value] ?? value.toUpperCase().replaceAll('.', '_'),
      { value, description: meaning },
    ]);
    return builder.enumType(name, { description, values: Object.fromEntries(entries) });
  }) as EnumRef<T>;
}

/** GraphQL names cannot start with a digit. */
const SPELLED: Readonly<Record<string, string>> = { '6sense': 'SIX_SENSE' };

/** Created lazily, once per type. */
function outputOf(type: Type): unknown {
  switch (type.kind) {
    case 'scalar':
      return SCALARS[type.scalar];
    case 'words':
      return enumOf(type);
    case 'list':
      return [outputOf(type.of)];
    case 'union':
      return remember(outputs, type, () => makeUnion(type));
    case 'shape': {
      const { name, description } = type;
      const fields = (t: object) => exposeFields(t, type);
      return remember(outputs, type, () => builder.objectRef(name).implement({ description, fields }));
    }
  }
}

function makeUnion({ name, description, members }: Union<unknown>): object {
  return builder.unionType(name, {
    description,
    types: Object.values(members).map(outputOf) as never[],
    resolveType: ({ type }: { readonly type: string }) => `${members[type]?.name}`,
  });
}

export function inputOf(type: Type): unknown {
  switch (type.kind) {
    case 'scalar':
      return SCALARS[type.scalar];
    case 'words':
      return enumOf(type);
    case 'list':
      return [inputOf(type.of)];
    case 'union':
      return remember(inputs, type, () => makeOneOf(type));
    case 'shape': {
      const { name, description } = type;
      const fields = (t: object) => inputFields(t, type);
      return remember(inputs, type, () => builder.inputType(`${name}Input`, { description, fields }));
    }
  }
}

function makeOneOf({ name, description, members }: Union<unknown>): object {
  const fields = Object.entries(members).map(([tag, shape]) => [tag, nullable(shape, shape.description)]);
  return builder.inputType(`${name}Input`, {
    ...{ description, isOneOf: true },
    fields: (t) => inputFields(t, { fields: Object.fromEntries(fields) }),
  });
}

const SCALARS = {
  ...{ string: 'String', url: 'String', id: 'ID', uuid: 'ID', int: 'Int', boolean: 'Boolean' },
  ...{ json: 'JSON', moment: 'DateTime', date: 'DateTime' },
};

function remember(known: Map<Type, object>, type: Type, make: () => object): object {
  const ref = known.get(type) ?? make();
  known.set(type, ref);
  return ref;
}

const enums = new Map<Type, object>();
const outputs = new Map<Type, object>();
const inputs = new Map<Type, object>();

/** Resolvers for fields whose values differ from the record's. */
type Resolvers = Readonly<Record<string, (record: never, args: object, context: RequestContext) => unknown>>;

/** Pothos's types serve hand-written code; fields from declarations are typed already. */
interface OutputBuilder {
  expose(name: string, options: object): FieldMap[string];
  field(options: object): FieldMap[string];
}

interface InputBuilder {
  field(options: object): InputFieldMap[string];
}

type EnumRef<T extends string> = ReturnType<
  typeof builder.enumType<string, Record<string, { value: T; description: string }>>
>;

type ObjectRef<T> = ReturnType<typeof builder.objectRef<T>>;
