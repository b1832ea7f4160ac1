import { costs } from '@crossbook/executor';
import type { FieldMap, InputFieldMap } from '@pothos/core';
import {
  type Field,
  type Fields,
  nullable,
  readShape,
  type Shape,
  type Type,
  toEnumName,
  type Union,
  type Words,
} from '../../domain/shape.ts';
import type { RequestContext } from '../../request/context.ts';
import { builder } from './builder.ts';

/** Defines the object type of a shape: the shape's fields, and those given. */
export function defineObject<Value extends object>(
  shape: Shape<unknown>,
  { name = shape.name, fields, resolvers = {}, ...options }: ObjectOptions<Value>,
): ObjectRef<Value> {
  const ref = builder.objectRef<Value>(name);
  outputs.refs.set(shape, ref);
  ref.implement({
    description: shape.description,
    ...(options as object),
    fields: (t) => ({ ...exposeFields(t as never, shape, resolvers), ...fields?.(t) }),
  });
  return ref;
}

function exposeFields(
  t: OutputBuilder,
  { fields }: Shape<unknown>,
  resolvers: Resolvers,
): FieldMap {
  return mapValues(fields, ({ type, description, nullable, deprecated, items, weight }, name) => {
    const options = {
      type: refOf(type, outputs),
      description,
      nullable,
      deprecationReason: deprecated,
      ...costs({ items, weight }),
    };
    const resolve = resolvers[name];
    return resolve ? t.field({ ...options, resolve }) : t.expose(name, options);
  });
}

/** Input fields from declared ones; `readInputShape` reads their values into a record. */
function inputFields(t: InputBuilder, fields: Fields): InputFieldMap {
  const named = Object.entries(fields).map(([name, one]) => [one.inputName ?? name, one]);
  return mapValues<Field<unknown>, InputFieldMap[string]>(
    Object.fromEntries(named),
    ({ type, nullable, optional, emptyInGraphQL, ...field }) => {
      const { description, defaultValue, deprecated } = field;
      return t.field({
        type: refOf(type, inputs),
        description,
        defaultValue,
        deprecationReason: deprecated,
        required: !nullable && !optional && !emptyInGraphQL,
      });
    },
  );
}

function mapValues<Value, Made>(
  values: Readonly<Record<string, Value>>,
  make: (value: Value, name: string) => Made,
): Record<string, Made> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, make(value, name)]),
  );
}

export function readInputShape<T>(shape: Shape<T>, input: object): T {
  return readShape(shape, input, {
    nameOf: (name, { inputName }) => inputName ?? name,
    readUnion(members) {
      const [[tag, member] = ['', {}]] = Object.entries(members).filter(([, value]) => value);
      return { tag, member: member as object };
    },
  });
}

/** The object type of a shape, generated from its fields unless it is defined with more. */
export function objectOf<T>(shape: Shape<T>): ObjectRef<T> {
  return refOf(shape, outputs) as ObjectRef<T>;
}

/** Defines the input type of a shape of which exactly one field is given, under the shape's own name. */
export function defineOneOf<T>({ name, description, fields }: Shape<T>): InputRef<Partial<T>> {
  return builder.inputType(name, {
    description,
    isOneOf: true,
    fields: (t) => inputFields(t as never, fields),
  }) as unknown as InputRef<Partial<T>>;
}

/** Defines the input type of a shape under the shape's own name. */
export function defineInput<T>({ name, description, fields }: Shape<T>): InputRef<Partial<T>> {
  return builder.inputType(name, {
    description,
    fields: (t) => inputFields(t as never, fields),
  }) as unknown as InputRef<Partial<T>>;
}

export function inputOf(shape: Shape<unknown>): object {
  return refOf(shape, inputs) as object;
}

/** The enum type of declared words, with their descriptions; its values are those words. */
export function enumOf<T extends string>(type: Words<T>): EnumRef<T> {
  return remember(enums, type, () => {
    const { name, description, words } = type;
    const entries = Object.entries<string>(words).map(([value, meaning]) => [
      toEnumName(value),
      { value, description: meaning },
    ]);
    return builder.enumType(name, { description, values: Object.fromEntries(entries) });
  }) as EnumRef<T>;
}

/** Created lazily, once per type. */
function refOf(type: Type, side: Side): unknown {
  switch (type.kind) {
    case 'scalar':
      return SCALARS[type.scalar];
    case 'words':
      return enumOf(type);
    case 'list':
      return [refOf(type.of, side)];
    default:
      return remember(side.refs, type, () => side.make(type));
  }
}

function makeOutput(type: Composite): object {
  if (type.kind === 'shape') return defineObject(type, {});
  const { name, description, members } = type;
  return builder.unionType(name, {
    description,
    types: Object.values(members).map(objectOf) as never[],
    resolveType: (record: { readonly type: string }) => `${members[record.type]?.name}`,
  });
}

function makeInput(type: Composite): object {
  const isOneOf = type.kind === 'union';
  const fields = isOneOf
    ? mapValues(type.members, (member) => nullable(member, member.description))
    : type.fields;
  return builder.inputType(`${type.name}Input`, {
    description: type.description,
    isOneOf,
    fields: (t) => inputFields(t as never, fields),
  });
}

const SCALARS = {
  string: 'String',
  url: 'String',
  id: 'ID',
  uuid: 'ID',
  int: 'Int',
  float: 'Float',
  decimal: 'String',
  boolean: 'Boolean',
  json: 'JSON',
  moment: 'DateTime',
  date: 'DateTime',
  day: 'Date',
};

function remember(known: Map<Type, object>, type: Type, make: () => object): object {
  const ref = known.get(type) ?? make();
  known.set(type, ref);
  return ref;
}

const enums = new Map<Type, object>();
const outputs: Side = { refs: new Map(), make: makeOutput };
const inputs: Side = { refs: new Map(), make: makeInput };

type Composite = Shape<unknown> | Union<unknown>;

/** The types of outputs or of inputs. */
interface Side {
  readonly refs: Map<Type, object>;
  make(type: Composite): object;
}

interface ObjectOptions<Value extends object>
  extends Partial<Omit<Parameters<ObjectRef<Value>['implement']>[0], 'description'>> {
  /** The name in GraphQL, where it is another. */
  readonly name?: string;
  /** Resolvers for fields of the shape whose values differ from the record's. */
  readonly resolvers?: Resolvers;
}

type Resolvers = Readonly<
  Record<string, (record: never, args: object, context: RequestContext) => unknown>
>;

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

type InputRef<T> = ReturnType<typeof builder.inputRef<T & object>>;
