import type { FieldMap, InputFieldMap } from '@pothos/core';
import { type Field, readShape, type Shape, type Type, type Union, type Words } from '../domain/shape.ts';
import type { RequestContext } from '../request/context.ts';
import { builder } from './builder.ts';
import { costs } from './cost.ts';
import { toEnumValues } from './types/scalars.ts';

/** The fields of what is declared, for an object type: `fields: (t) => ({ ...exposeFields(t, customer), … })`. */
export function exposeFields<T>(t: object, { fields }: Shape<T>, options: ExposeOptions = {}): FieldMap {
  const { omit = [], resolve = {} } = options;
  const { expose, field: compute } = t as OutputBuilder;
  const shown = Object.entries(fields).filter(([name]) => !omit.includes(name));
  const toOutput = ([name, field]: [string, Field<unknown>]) => {
    const { description, nullable, deprecated, items } = field;
    const facts = {
      ...{ type: outputOf(field.type), description, nullable },
      ...(deprecated !== undefined && { deprecationReason: deprecated }),
      ...(items !== undefined && costs({ items })),
    };
    const resolver = resolve[name] ?? (isDate(field) ? readDate(name) : undefined);
    return [name, resolver ? compute.call(t, { ...facts, resolve: resolver }) : expose.call(t, name, facts)];
  };
  return Object.fromEntries(shown.map(toOutput));
}

/** The input fields of what is declared: `readInput` makes a record of what they are given. */
export function inputFields(t: object, { fields }: Shape<unknown>): InputFieldMap {
  const toInput = ([name, field]: [string, Field<unknown>]) => {
    const { description, deprecated } = field;
    const facts = {
      ...{ type: inputOf(field.type), description },
      ...(deprecated !== undefined && { deprecationReason: deprecated }),
      required: !field.nullable && !field.optional && !field.emptyInGraphQL,
    };
    return [name, (t as InputBuilder).field(facts)];
  };
  return Object.fromEntries(Object.entries(fields).map(toInput));
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

/** The object type of a shape: just its fields, unless another one is registered. */
export function objectOf<T>(shape: Shape<T>): ObjectRef<T> {
  const { name, description } = shape;
  return remember(outputs, shape, () =>
    builder.objectRef<T>(name).implement({ description, fields: (t) => exposeFields(t, shape) }),
  ) as ObjectRef<T>;
}

/** The object type of a shape that needs more than its fields. */
export function registerObject<Ref extends object>(shape: Shape<unknown>, ref: Ref): Ref {
  outputs.set(shape, ref);
  return ref;
}

export function enumOf<T extends string>(words: Words<T>): EnumRef<T> {
  const { name, description, words: meanings } = words;
  return remember(enums, words, () =>
    builder.enumType(name, { description, values: toEnumValues<string>(meanings) }),
  ) as EnumRef<T>;
}

/** Made when it is first asked for, and once. */
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
    case 'shape':
      return objectOf(type);
  }
}

function makeUnion({ name, description, members }: Union<unknown>): object {
  const typeOf = (tag: string) => `${members[tag]?.name}`;
  return builder.unionType(name, {
    description,
    types: Object.values(members).map(outputOf) as never[],
    resolveType: ({ type }: { readonly type: string }) => typeOf(type),
  });
}

function inputOf(type: Type): unknown {
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
  return builder.inputType(`${name}Input`, {
    description,
    isOneOf: true,
    fields: (t) => {
      const toMember = ([tag, shape]: [string, Shape<unknown>]) => [
        tag,
        (t as InputBuilder).field({ type: inputOf(shape), description: shape.description, required: false }),
      ];
      return Object.fromEntries(Object.entries(members).map(toMember));
    },
  });
}

const SCALARS = {
  ...{ string: 'String', url: 'String', id: 'ID', uuid: 'ID', int: 'Int', boolean: 'Boolean' },
  ...{ json: 'JSON', moment: 'DateTime', date: 'DateTime' },
};

function isDate({ type }: Field<unknown>): boolean {
  return type.kind === 'scalar' && type.scalar === 'date';
}

function readDate(name: string) {
  return (record: object) => (record as Record<string, Date | null>)[name]?.toISOString() ?? null;
}

function remember<Ref extends object>(known: Map<Type, Ref>, type: Type, make: () => Ref): Ref {
  const ref = known.get(type) ?? make();
  known.set(type, ref);
  return ref;
}

const enums = new Map<Type, object>();
const outputs = new Map<Type, object>();
const inputs = new Map<Type, object>();

interface ExposeOptions {
  readonly omit?: readonly string[];
  /** For fields that a record does not hold as they are shown. */
  readonly resolve?: Readonly<
    Record<string, (record: never, args: object, context: RequestContext) => unknown>
  >;
}

/** Pothos types what is written by hand. What is made of declarations has their types already. */
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
