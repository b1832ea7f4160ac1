import {
  GraphQLBoolean,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  type GraphQLObjectType,
  GraphQLString,
  isEnumType,
} from 'graphql';
import { isThenable } from './is-thenable.ts';
import { ODD, odd } from './odd.ts';
import { type TextProperty, writeReader } from './written-reader.ts';

/**
 * From plain data to its answer. It throws, whatever and wherever, as soon as something is out of the ordinary: then the
 * careful way is taken from the same place.
 */
export type Read = (value: unknown) => unknown;

export function readLeaf(type: GraphQLLeafType): Read {
  if (isEnumType(type)) return readEnum(new Map(type.getValues().map(({ value, name }) => [value, name])));
  return LEAVES.get(type) ?? readScalar((value) => type.serialize(value));
}

export function readNullable(read: Read): Read {
  if (read === readString) return readStringOrNull;
  return (value) => (value === null || value === undefined ? null : read(value));
}

export function readList(readItem: Read): Read {
  return (value) => {
    if (!Array.isArray(value)) throw ODD;
    const { length } = value;
    const items = new Array<unknown>(length);
    for (let index = 0; index < length; index += 1) items[index] = readItem(value[index]);
    return items;
  };
}

/** Keys in their order; an answer begins as a copy of one with all its keys, which is how it gets its shape cheaply. */
export function readObject(fields: readonly FieldReader[], { writeAfter }: Writing): Read {
  const reads = fields.map(({ read }) => read);
  const keys = fields.map(({ key }) => key);
  const shape: Record<string, unknown> = Object.fromEntries(keys.map((key) => [key, null]));
  let made = 0;
  let written: Read | undefined;
  return (value) => {
    if (written) return written(value);
    if (isOdd(value)) throw ODD;
    made += 1;
    if (made === writeAfter && fields.length <= MAX_WRITTEN_FIELDS)
      written = writeReader(fields, { isOdd, odd, propertyOf: (read) => texts.get(read) });
    const answer = { ...shape };
    for (let index = 0; index < reads.length; index += 1) {
      answer[keys[index] as string] = (reads[index] as Read)(value);
    }
    return answer;
  };
}

/** `typeNameOf` is asked without a context: a type that follows from anything but the data is left to the careful way. */
export function readAbstract(
  typeNameOf: (value: unknown) => unknown,
  readAs: (typeName: unknown) => Read | undefined,
): Read {
  return (value) => {
    if (isOdd(value)) throw ODD;
    const read = readAs(ordinary(typeNameOf(value)));
    if (!read) throw ODD;
    return read(value);
  };
}

export function readProperty(name: string, read: Read): Read {
  const readNamed: Read = (source) => read((source as Record<string, unknown>)[name]);
  if (read === readString || read === readStringOrNull)
    texts.set(readNamed, { name, isNullable: read === readStringOrNull });
  return readNamed;
}

export function readComputed(compute: (source: unknown) => unknown, read: Read): Read {
  return (source) => read(ordinary(compute(source)));
}

/** A promise that is not waited for after all must not bring the process down when it fails. */
function ordinary(value: unknown): unknown {
  if (typeof value === 'string' || !isThenable(value)) return value;
  value.then(undefined, () => {});
  throw ODD;
}

export function isOdd(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof Error || isThenable(value);
}

function readEnum(names: ReadonlyMap<unknown, string>): Read {
  return (value) => names.get(value) ?? odd();
}

function readScalar(serialize: (value: unknown) => unknown): Read {
  return (value) => {
    if ((typeof value === 'object' && isOdd(value)) || typeof value === 'function') throw ODD;
    return ordinary(serialize(value)) ?? odd();
  };
}

const readString: Read = (value) => (typeof value === 'string' ? value : odd());
const readStringOrNull: Read = (value) => (value === null || value === undefined ? null : readString(value));
const readInt: Read = (value) => (typeof value === 'number' && (value | 0) === value ? value : odd());
const readBoolean: Read = (value) => (typeof value === 'boolean' ? value : odd());

/** The scalars of the language, for values that are already what is to be answered. */
const LEAVES: ReadonlyMap<GraphQLLeafType, Read> = new Map<GraphQLLeafType, Read>([
  [GraphQLString, readString],
  [GraphQLID, readString],
  [GraphQLInt, readInt],
  [GraphQLBoolean, readBoolean],
]);

/** What is known of these readers to who writes one for a whole object. */
const texts = new WeakMap<Read, TextProperty>();

/** Of one object: more of them than this are nobody's usual question. */
const MAX_WRITTEN_FIELDS = 200;

export interface Writing {
  /** So many objects one reader makes before one is written for it: a document that is asked once is not worth it. */
  readonly writeAfter: number;
  /** What holds a list of more items than this is answered as JSON that is written already. */
  readonly jsonAbove: number;
}

export interface FieldReader {
  readonly key: string;
  readonly read: Read;
}

export type ReadAs = (type: GraphQLObjectType) => Read | undefined;
