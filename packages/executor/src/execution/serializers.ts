import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLString,
  isEnumType,
} from 'graphql';
import { isPromise } from 'graphql/jsutils/isPromise.js';
import type { PromiseOrValue } from 'graphql/jsutils/PromiseOrValue.js';
import type { Allowance } from '../allowance.ts';
import { jsonLength, stringLength } from '../json/size.ts';
import { isChunked, type JsonBytes, writeBytes, writeReadList } from '../json/write.ts';
import type { Execution } from './execute.ts';
import type { FieldPlan } from './plan.ts';
import { Failed } from './resolve-all.ts';

/**
 * Serializes plain data. Throws as soon as a value is unexpected; the caller then takes the generic path from the
 * same position. Lists consume the allowance for all their items before these are read; long values consume it by
 * bytes.
 */
export type Serializer = (value: unknown, execution: Reading) => unknown;

/** What serializers use of an execution. */
export type Reading = Pick<Execution, 'allowance' | 'together'>;

export function serializeLeaf(type: GraphQLLeafType): Serializer {
  if (isEnumType(type))
    return readEnum(new Map(type.getValues().map(({ value, name }) => [value, name])));
  return LEAVES.get(type) ?? readScalar((value) => type.serialize(value));
}

/** Bails out on an unexpected value with an object without stack or message: the caller takes the generic path. */
export function bailOut(): never {
  throw BAILOUT;
}

const BAILOUT = Symbol('bailout');

export function readNullable(read: Serializer): Serializer {
  if (read === readString) return readStringOrNull;
  return (value, execution) =>
    value === null || value === undefined ? null : read(value, execution);
}

/** Reads a value of `size` values without list items. An object with long lists is written as JSON. */
export function readWhole(
  read: Serializer,
  { size, writeJson }: { readonly size: number; readonly writeJson?: Serializer | undefined },
): Serializer {
  return (value, execution) => {
    const written = writeJson?.(value, execution);
    if (written !== undefined) return written;
    execution.allowance.consumeValues(size);
    return read(value, execution);
  };
}

/** Reads a list whose items have at most `itemSize` values. */
export function readList(readItem: Serializer, itemSize: number): Serializer {
  return (value, execution) => {
    if (!Array.isArray(value)) return bailOut();
    const { length } = value;
    execution.allowance.consumeValues(length * itemSize);
    const items = new Array<unknown>(length);
    for (let index = 0; index < length; index += 1)
      items[index] = readItem(value[index], execution);
    return items;
  };
}

/** The same for a list by itself: a long one is written as JSON. */
export function readOrWriteList(
  readItem: Serializer,
  itemSize: number,
  { jsonAbove }: Writing,
): Serializer {
  const read = readList(readItem, itemSize);
  return (value, execution) => {
    if (!isChunked(value, jsonAbove)) return read(value, execution);
    const { allowance } = execution;
    allowance.consumeValues(value.length * itemSize);
    return writeBytes(
      writeReadList(value, (item) => readItem(item, execution)),
      allowance,
    );
  };
}

/**
 * Reads an object with its keys in order. Each result starts as a copy of a template with all keys, which gives it
 * its hidden class cheaply.
 */
export function readObject(fields: readonly FieldReader[], { writeAfter }: Writing): Serializer {
  const serializers = fields.map(({ serialize }) => serialize);
  const keys = fields.map(({ key }) => key);
  const shape: Record<string, unknown> = Object.fromEntries(keys.map((key) => [key, null]));
  let made = 0;
  let generated: Serializer | undefined;
  return (value, execution) => {
    if (generated) return generated(value, execution);
    if (isUnexpected(value)) return bailOut();
    made += 1;
    if (made === writeAfter && fields.length <= MAX_GENERATED_FIELDS)
      generated = generateSerializer(fields);
    const result = { ...shape };
    for (let index = 0; index < serializers.length; index += 1) {
      result[keys[index] as string] = (serializers[index] as Serializer)(value, execution);
    }
    return result;
  };
}

/**
 * Generates a JavaScript function for the objects of one selection, which creates them at once and reads strings
 * inline, while the general serializer loops over the fields. No client text becomes code: keys and properties are
 * quoted, everything else is referenced by index. Undefined if code generation from strings is disabled.
 */
export function generateSerializer(fields: readonly FieldReader[]): Serializer | undefined {
  const body = `
    const [${fields.map((_, index) => `read${index}`).join(', ')}] = reads;
    return (value, execution) => {
      if (isUnexpected(value)) bailOut();
      let text;
      return { ${fields.map(({ key, serialize }, index) => `${JSON.stringify(key)}: ${toExpression(serialize, index)}`).join(',\n')} };
    };`;
  try {
    const make = new Function('reads', 'isUnexpected', 'bailOut', body);
    return make(
      fields.map(({ serialize }) => serialize),
      isUnexpected,
      bailOut,
    );
  } catch {
    return undefined;
  }
}

/** Values other than short strings are left to the property's serializer. */
function toExpression(read: Serializer, index: number): string {
  const call = `read${index}(value, execution)`;
  const property = texts.get(read);
  if (!property) return call;
  const isShort = `typeof (text = value[${JSON.stringify(property.name)}]) === 'string' && text.length <= ${SHORT}`;
  return `${isShort} ? text : ${property.isNullable ? 'text === null || text === undefined ? null : ' : ''}${call}`;
}

/** Reads an object of an abstract type, whose concrete type `planOf` finds by its data. */
export function readAbstract(
  planOf: (value: unknown) => { readonly serialize: Serializer | undefined } | undefined,
): Serializer {
  return (value, execution) => {
    if (isUnexpected(value)) return bailOut();
    const serialize = planOf(value)?.serialize;
    return serialize ? serialize(value, execution) : bailOut();
  };
}

/** Reads a list before its items are serialized. */
export const readAsItIs: Serializer = (value) => value;

export function readProperty(name: string, read: Serializer): Serializer {
  const readNamed: Serializer = (source, execution) =>
    read((source as Record<string, unknown>)[name], execution);
  if (read === readString || read === readStringOrNull)
    texts.set(readNamed, { name, isNullable: read === readStringOrNull });
  return readNamed;
}

export function readComputed(compute: (source: unknown) => unknown, read: Serializer): Serializer {
  return (source, execution) => read(ordinary(compute(source)), execution);
}

/** Reads what a field that is resolved for all objects of a list has for one of them. */
export function readTogether(fieldOf: () => FieldPlan, read: Serializer): Serializer {
  return (source, execution) => {
    const resolved = execution.together.get(fieldOf())?.get(source);
    if (resolved === undefined || resolved instanceof Failed) return bailOut();
    return read(resolved, execution);
  };
}

/** Bails out on a promise, with a handler so that its rejection does not end the process. */
function ordinary(value: unknown): unknown {
  if (typeof value === 'string' || !isPromise(value)) return value;
  value.then(undefined, () => {});
  return bailOut();
}

export function isUnexpected(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof Error || isPromise(value);
}

function readEnum(names: ReadonlyMap<unknown, string>): Serializer {
  return (value) => names.get(value) ?? bailOut();
}

function readScalar(serialize: (value: unknown) => unknown): Serializer {
  return (value, execution) => {
    if ((typeof value === 'object' && isUnexpected(value)) || typeof value === 'function')
      return bailOut();
    return consumeLeaf(ordinary(serialize(value)) ?? bailOut(), execution.allowance);
  };
}

/**
 * Short values are counted, long ones charged by bytes: one string may occur in a response under a thousand aliases.
 */
export function consumeLeaf<Leaf>(value: Leaf, allowance: Allowance): Leaf {
  if (typeof value === 'string') {
    const { length } = value;
    // Scanning a freshly concatenated string is expensive, so up to a size its length is used.
    if (length > LONG) allowance.consumeResultBytes(stringLength(value));
    else if (length > SHORT) allowance.consumeResultBytes(length);
  } else if (typeof value === 'object' && value !== null) {
    allowance.consumeResultBytes(jsonLength(value, allowance.bounds.bytes));
  }
  return value;
}

const readString: Serializer = (value, execution) =>
  typeof value === 'string' ? consumeLeaf(value, execution.allowance) : bailOut();
const readStringOrNull: Serializer = (value, execution) =>
  value === null || value === undefined ? null : readString(value, execution);
const readInt: Serializer = (value) =>
  typeof value === 'number' && (value | 0) === value ? value : bailOut();
const readFloat: Serializer = (value) => (Number.isFinite(value) ? value : bailOut());
const readBoolean: Serializer = (value) => (typeof value === 'boolean' ? value : bailOut());

/** The built-in scalars, for values that need no coercion. */
const LEAVES: ReadonlyMap<GraphQLLeafType, Serializer> = new Map<GraphQLLeafType, Serializer>([
  [GraphQLString, readString],
  [GraphQLID, readString],
  [GraphQLInt, readInt],
  [GraphQLFloat, readFloat],
  [GraphQLBoolean, readBoolean],
]);

/** Serializers of string properties, which generated code inlines. */
const texts = new WeakMap<Serializer, { readonly name: string; readonly isNullable: boolean }>();

/** Lengths in characters. */
const SHORT = 64;
const LONG = 1_024;

/** The maximum of fields of a generated function: few documents select more. */
const MAX_GENERATED_FIELDS = 200;

export interface Writing {
  /** A serializer is generated after this many objects, because it does not pay off for documents that run once. */
  readonly writeAfter: number;
  /** Lists with more items are serialized to JSON during execution. */
  readonly jsonAbove: number;
}

export interface FieldReader {
  readonly key: string;
  readonly serialize: Serializer;
  /** Present for a list of plain data: serializes items one by one. */
  readonly list: ListReader | undefined;
}

interface ListReader {
  readonly itemsOf: Serializer;
  readonly readItem: Serializer;
  readonly itemSize: number;
}

/**
 * Writes plain data with long lists directly as JSON; undefined if no list is long. Items are written as they are
 * read: as objects they would be retained by the promises on the way to the socket. Throws as soon as a value is
 * unexpected, like a serializer. `size`: its values without list items.
 */
export function createWriter(fields: readonly FieldReader[], size: number, { jsonAbove }: Writing) {
  if (!fields.some(({ list }) => list)) return undefined;
  return (value: unknown, execution: Reading): PromiseOrValue<JsonBytes> | undefined => {
    if (isUnexpected(value)) return bailOut();
    const lists = fields.map(({ list }) => {
      const items = list?.itemsOf(value, execution);
      return isChunked(items, jsonAbove) ? items : undefined;
    });
    if (lists.every((items) => items === undefined)) return undefined;
    execution.allowance.consumeValues(size);
    return writeBytes(writeFields(value, lists, execution), execution.allowance);
  };

  function* writeFields(
    value: unknown,
    lists: readonly (readonly unknown[] | undefined)[],
    execution: Reading,
  ) {
    let before = '{';
    for (const [index, { key, serialize, list }] of fields.entries()) {
      yield `${before}${JSON.stringify(key)}:`;
      const items = lists[index];
      if (list && items) {
        execution.allowance.consumeValues(items.length * list.itemSize);
        yield* writeReadList(items, (item) => list.readItem(item, execution));
      } else yield JSON.stringify(serialize(value, execution));
      before = ',';
    }
    yield '}';
  }
}
