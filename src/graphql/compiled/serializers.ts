import {
  GraphQLBoolean,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLString,
  isEnumType,
} from 'graphql';
import { isPromise } from 'graphql/jsutils/isPromise.js';
import type { Allowance } from '../../domain/resources.ts';
import { jsonLength, stringLength } from '../../lib/json.ts';
import { isChunked, JsonBytes, toUtf8, writeList } from '../../lib/json-body.ts';

/**
 * From plain data to its answer. It throws as soon as a value is unexpected: then the generic path is taken from the same
 * place. Lists consume the allowance for all that they hold, before it is read; what is longer than values usually are
 * consumes it for its bytes.
 */
export type Serializer = (value: unknown, allowance: Allowance) => unknown;

export function serializeLeaf(type: GraphQLLeafType): Serializer {
  if (isEnumType(type)) return readEnum(new Map(type.getValues().map(({ value, name }) => [value, name])));
  return LEAVES.get(type) ?? readScalar((value) => type.serialize(value));
}

/** Throws on an unexpected value. What is thrown has no stack and no message: the caller takes the generic path. */
export function bailOut(): never {
  throw BAILOUT;
}

const BAILOUT = Symbol('bailout');

export function readNullable(read: Serializer): Serializer {
  if (read === readString) return readStringOrNull;
  return (value, allowance) => (value === null || value === undefined ? null : read(value, allowance));
}

/** Each item is made of at most `itemSize` values. */
export function readList(readItem: Serializer, itemSize: number): Serializer {
  return (value, allowance) => {
    if (!Array.isArray(value)) return bailOut();
    const { length } = value;
    allowance.consumeValues(length * itemSize);
    const items = new Array<unknown>(length);
    for (let index = 0; index < length; index += 1) items[index] = readItem(value[index], allowance);
    return items;
  };
}

/** Keys in their order; an answer begins as a copy of one with all its keys, which is how it gets its shape cheaply. */
export function readObject(fields: readonly FieldReader[], { writeAfter }: Writing): Serializer {
  const reads = fields.map(({ read }) => read);
  const keys = fields.map(({ key }) => key);
  const shape: Record<string, unknown> = Object.fromEntries(keys.map((key) => [key, null]));
  let made = 0;
  let generated: Serializer | undefined;
  return (value, allowance) => {
    if (generated) return generated(value, allowance);
    if (isUnexpected(value)) return bailOut();
    made += 1;
    if (made === writeAfter && fields.length <= MAX_GENERATED_FIELDS) generated = generateSerializer(fields);
    const answer = { ...shape };
    for (let index = 0; index < reads.length; index += 1) {
      answer[keys[index] as string] = (reads[index] as Serializer)(value, allowance);
    }
    return answer;
  };
}

/**
 * A function for objects of one selection, generated as code: it makes them at once and reads their texts in place, where the
 * general one goes through its fields by name. No text of a client is code in it: keys and properties are quoted names,
 * and everything else is called by its number. Undefined where the process may not make functions of text.
 */
export function generateSerializer(fields: readonly FieldReader[]): Serializer | undefined {
  const body = `
    const [${fields.map((_, index) => `read${index}`).join(', ')}] = reads;
    return (value, allowance) => {
      if (isUnexpected(value)) bailOut();
      let text;
      return { ${fields.map(({ key, read }, index) => `${JSON.stringify(key)}: ${toExpression(read, index)}`).join(',\n')} };
    };`;
  try {
    const make = new Function('reads', 'isUnexpected', 'bailOut', body);
    return make(
      fields.map(({ read }) => read),
      isUnexpected,
      bailOut,
    );
  } catch {
    return undefined;
  }
}

/** What is no short string is left to the property's own reader. */
function toExpression(read: Serializer, index: number): string {
  const call = `read${index}(value, allowance)`;
  const property = texts.get(read);
  if (!property) return call;
  const isShort = `typeof (text = value[${JSON.stringify(property.name)}]) === 'string' && text.length <= ${SHORT}`;
  return `${isShort} ? text : ${property.isNullable ? 'text === null || text === undefined ? null : ' : ''}${call}`;
}

/** The type's name is computed without a context: one that follows from anything but the data is left to the generic path. */
export function readAbstract(
  typeNameOf: (value: unknown) => unknown,
  plans: ReadonlyMap<unknown, { readonly read: Serializer | undefined }>,
): Serializer {
  return (value, allowance) => {
    if (isUnexpected(value)) return bailOut();
    const read = plans.get(ordinary(typeNameOf(value)))?.read;
    return read ? read(value, allowance) : bailOut();
  };
}

/** Of a list, before its items are read. */
export const readAsItIs: Serializer = (value) => value;

export function readProperty(name: string, read: Serializer): Serializer {
  const readNamed: Serializer = (source, allowance) =>
    read((source as Record<string, unknown>)[name], allowance);
  if (read === readString || read === readStringOrNull)
    texts.set(readNamed, { name, isNullable: read === readStringOrNull });
  return readNamed;
}

export function readComputed(compute: (source: unknown) => unknown, read: Serializer): Serializer {
  return (source, allowance) => read(ordinary(compute(source)), allowance);
}

/** A promise that is not waited for after all must not bring the process down when it fails. */
function ordinary(value: unknown): unknown {
  if (typeof value === 'string' || !isPromise(value)) return value;
  value.then(undefined, () => {});
  return bailOut();
}

function isUnexpected(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof Error || isPromise(value);
}

function readEnum(names: ReadonlyMap<unknown, string>): Serializer {
  return (value) => names.get(value) ?? bailOut();
}

function readScalar(serialize: (value: unknown) => unknown): Serializer {
  return (value, allowance) => {
    if ((typeof value === 'object' && isUnexpected(value)) || typeof value === 'function') return bailOut();
    return consumeLeaf(ordinary(serialize(value)) ?? bailOut(), allowance);
  };
}

/** Short values are counted, long ones are weighed: one string may be in an answer under a thousand aliases. */
export function consumeLeaf<Leaf>(value: Leaf, allowance: Allowance): Leaf {
  if (typeof value === 'string') {
    const { length } = value;
    // To look at each character of a string that was just put together is dear: its length will do, unless it is long.
    if (length > SHORT) allowance.consumeResultBytes(length > LONG ? stringLength(value) : length);
  } else if (typeof value === 'object' && value !== null) {
    allowance.consumeResultBytes(jsonLength(value, allowance.bounds.bytes));
  }
  return value;
}

const readString: Serializer = (value, allowance) =>
  typeof value === 'string' ? consumeLeaf(value, allowance) : bailOut();
const readStringOrNull: Serializer = (value, allowance) =>
  value === null || value === undefined ? null : readString(value, allowance);
const readInt: Serializer = (value) =>
  typeof value === 'number' && (value | 0) === value ? value : bailOut();
const readBoolean: Serializer = (value) => (typeof value === 'boolean' ? value : bailOut());

/** The scalars of the language, for values that are already what is to be answered. */
const LEAVES: ReadonlyMap<GraphQLLeafType, Serializer> = new Map<GraphQLLeafType, Serializer>([
  [GraphQLString, readString],
  [GraphQLID, readString],
  [GraphQLInt, readInt],
  [GraphQLBoolean, readBoolean],
]);

/** The readers of a property that must be a string: generated code reads it in place. */
const texts = new WeakMap<Serializer, { readonly name: string; readonly isNullable: boolean }>();

/** In characters. */
const SHORT = 64;
const LONG = 1_024;

/** Of one object: few documents select more. */
const MAX_GENERATED_FIELDS = 200;

export interface Writing {
  /** So many objects one reader makes before one is generated for it: a document that is asked once is not worth it. */
  readonly writeAfter: number;
  /** What holds a list of more items than this is answered as JSON that is written already. */
  readonly jsonAbove: number;
}

export interface FieldReader {
  readonly key: string;
  readonly read: Serializer;
  /** Present where it is a list of plain data: item by item. */
  readonly list: ListReader | undefined;
}

interface ListReader {
  readonly itemsOf: Serializer;
  readonly readItem: Serializer;
  readonly itemSize: number;
}

/**
 * From plain data that holds long lists to its JSON; undefined where none is long. Items are written as they are read:
 * as part of an answer they would be carried by all the promises that bring it to the socket. What was written
 * and can be disposed of is. Like a serializer it throws as soon as a value is unexpected. `size`: its values, lists left out.
 */
export function createWriter(fields: readonly FieldReader[], size: number, { jsonAbove }: Writing) {
  if (!fields.some(({ list }) => list)) return undefined;
  return (value: unknown, allowance: Allowance): JsonBytes | undefined => {
    if (isUnexpected(value)) return bailOut();
    const lists = fields.map(({ list }) => {
      const items = list?.itemsOf(value, allowance);
      return isChunked(items, jsonAbove) ? items : undefined;
    });
    if (lists.every((items) => items === undefined)) return undefined;
    allowance.consumeValues(size);
    const written = new JsonBytes(toUtf8(writeFields(value, lists, allowance), allowance));
    (value as Partial<Disposable>)[Symbol.dispose]?.();
    return written;
  };

  function* writeFields(
    value: unknown,
    lists: readonly (readonly unknown[] | undefined)[],
    allowance: Allowance,
  ) {
    let before = '{';
    for (const [index, { key, read, list }] of fields.entries()) {
      yield `${before}${JSON.stringify(key)}:`;
      const items = lists[index];
      if (list && items) {
        allowance.consumeValues(items.length * list.itemSize);
        yield* writeList(items, (item) => list.readItem(item, allowance));
      } else yield JSON.stringify(read(value, allowance));
      before = ',';
    }
    yield '}';
  }
}
