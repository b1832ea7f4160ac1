import {
  GraphQLBoolean,
  GraphQLID,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLString,
  isEnumType,
} from 'graphql';
import type { Allowance } from '../../domain/resources.ts';
import { jsonLength, stringLength } from '../../lib/json.ts';
import { BAILOUT, bailOut, isThenable } from './execution.ts';
import { generateSerializer, type TextProperty } from './generate-serializer.ts';

/**
 * From plain data to its answer. It throws, whatever and wherever, as soon as something is out of the ordinary: then the
 * careful way is taken from the same place. Lists consume the allowance for all that they hold, before it is read; what is
 * longer than values usually are consumes it for its bytes.
 */
export type Serializer = (value: unknown, allowance: Allowance) => unknown;

export function serializeLeaf(type: GraphQLLeafType): Serializer {
  if (isEnumType(type)) return readEnum(new Map(type.getValues().map(({ value, name }) => [value, name])));
  return LEAVES.get(type) ?? readScalar((value) => type.serialize(value));
}

export function readNullable(read: Serializer): Serializer {
  if (read === readString) return readStringOrNull;
  return (value, allowance) => (value === null || value === undefined ? null : read(value, allowance));
}

/** Each item is made of at most `itemSize` values. */
export function readList(readItem: Serializer, itemSize: number): Serializer {
  return (value, allowance) => {
    if (!Array.isArray(value)) throw BAILOUT;
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
  let written: Serializer | undefined;
  return (value, allowance) => {
    if (written) return written(value, allowance);
    if (isUnexpected(value)) throw BAILOUT;
    made += 1;
    if (made === writeAfter && fields.length <= MAX_WRITTEN_FIELDS)
      written = generateSerializer(fields, {
        isUnexpected,
        bailOut,
        propertyOf: (read) => texts.get(read),
        shortLength: SHORT,
      });
    const answer = { ...shape };
    for (let index = 0; index < reads.length; index += 1) {
      answer[keys[index] as string] = (reads[index] as Serializer)(value, allowance);
    }
    return answer;
  };
}

/** `typeNameOf` is asked without a context: a type that follows from anything but the data is left to the careful way. */
export function readAbstract(
  typeNameOf: (value: unknown) => unknown,
  readAs: (typeName: unknown) => Serializer | undefined,
): Serializer {
  return (value, allowance) => {
    if (isUnexpected(value)) throw BAILOUT;
    const read = readAs(ordinary(typeNameOf(value)));
    if (!read) throw BAILOUT;
    return read(value, allowance);
  };
}

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
  if (typeof value === 'string' || !isThenable(value)) return value;
  value.then(undefined, () => {});
  throw BAILOUT;
}

export function isUnexpected(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof Error || isThenable(value);
}

function readEnum(names: ReadonlyMap<unknown, string>): Serializer {
  return (value) => names.get(value) ?? bailOut();
}

function readScalar(serialize: (value: unknown) => unknown): Serializer {
  return (value, allowance) => {
    if ((typeof value === 'object' && isUnexpected(value)) || typeof value === 'function') throw BAILOUT;
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

/** What is known of these readers to who writes one for a whole object. */
const texts = new WeakMap<Serializer, TextProperty>();

/** In characters. */
const SHORT = 64;
const LONG = 1_024;

/** Of one object: more than this is not a usual question. */
const MAX_WRITTEN_FIELDS = 200;

export interface Writing {
  /** So many objects one reader makes before one is written for it: a document that is asked once is not worth it. */
  readonly writeAfter: number;
  /** What holds a list of more items than this is answered as JSON that is written already. */
  readonly jsonAbove: number;
}

export interface FieldReader {
  readonly key: string;
  readonly read: Serializer;
}
