/**
 * A record declaration. Its TypeScript type, GraphQL's types and inputs, REST's schemas and the translations between
 * them are derived from it.
 */
export interface Shape<T> extends Named<T> {
  readonly kind: 'shape';
  readonly fields: Fields;
}

/** A field of a record, created by `field` and `nullable`. */
export interface Field<T> extends Typed<T>, FieldOptions {
  readonly type: Type;
  readonly description: string;
  readonly nullable: boolean;
  /** In a patch: if absent the field stays unchanged. */
  readonly optional?: true;
}

interface FieldOptions {
  readonly example?: unknown;
  /** The reason for deprecation. */
  readonly deprecated?: string;
  /** For a list: the usual number of entries. */
  readonly items?: number;
  /** For a list of a request: the maximum number of entries. */
  readonly most?: number;
  /** The GraphQL query cost, where it is more than one value. */
  readonly weight?: number;
  /** GraphQL inputs: the default. */
  readonly defaultValue?: unknown;
  /** GraphQL inputs may omit this list, which then is empty. */
  readonly emptyInGraphQL?: true;
  /** REST responses omit it where it is empty. */
  readonly leftOutOfRest?: true;
  /** REST responses contain null instead of omitting it. */
  readonly nullInRest?: true;
  readonly restName?: string;
  /** Its name in GraphQL inputs, where that differs. */
  readonly inputName?: string;
  /** REST exposes it elsewhere. */
  readonly graphqlOnly?: true;
}

/** An enum: a closed set of words with descriptions. */
export interface Words<T extends string> extends Named<T> {
  readonly kind: 'words';
  readonly words: Readonly<Record<T, string>>;
  /** Codes are in upper case in every API, as those of errors are. */
  readonly isCode?: true;
}

/** One of several shapes, discriminated by `type`. */
export interface Union<T> extends Named<T> {
  readonly kind: 'union';
  readonly members: Readonly<Record<string, Shape<unknown>>>;
}

export interface List<T> extends Typed<T> {
  readonly kind: 'list';
  readonly of: Type;
}

export interface Scalar<T> extends Typed<T> {
  readonly kind: 'scalar';
  readonly scalar:
    | 'string'
    | 'id'
    | 'uuid'
    | 'url'
    | 'int'
    | 'float'
    | 'decimal'
    | 'boolean'
    | 'json'
    | 'moment'
    | 'date'
    | 'day';
}

export type Type =
  | Shape<unknown>
  | Words<string>
  | Union<unknown>
  | List<unknown>
  | Scalar<unknown>;

/** The type of a declaration: `Of<typeof contact>`. */
export type Of<Declared> = Declared extends Typed<infer T> ? T : never;

export const string = scalar<string>('string');
/** An id assigned by another system. */
export const id = scalar<string>('id');
export const uuid = scalar<string>('uuid');
export const url = scalar<string>('url');
export const int = scalar<number>('int');
export const float = scalar<number>('float');
/** A string: a number in decimal notation, of any size. */
export const decimal = scalar<string>('decimal');
export const boolean = scalar<boolean>('boolean');
export const json = scalar<Readonly<Record<string, unknown>>>('json');
/** A string: RFC 3339 in UTC. */
export const moment = scalar<string>('moment');
/** A `Date`, serialized as such a string. */
export const date = scalar<Date>('date');
/** A string: a calendar date, such as `2026-01-31`. */
export const day = scalar<string>('day');

function scalar<T>(name: Scalar<T>['scalar']): Scalar<T> {
  return { kind: 'scalar', scalar: name };
}

export function field<T>(
  type: Type & Typed<T>,
  description: string,
  options: FieldOptions = {},
): Field<T> {
  return { type, description, nullable: false, ...options };
}

/** A nullable field. REST responses omit null; requests may send null or omit it. */
export function nullable<T>(
  type: Type & Typed<T>,
  description: string,
  options: FieldOptions = {},
): Field<T | null> {
  return { type, description, nullable: true, ...options };
}

export function listOf<T>(of: Type & Typed<T>): List<readonly T[]> {
  return { kind: 'list', of };
}

export function words<T extends string>(
  name: string,
  description: string,
  meanings: Readonly<Record<T, string>>,
): Words<T> {
  return { kind: 'words', name, description, words: meanings };
}

/** The name of a word in GraphQL, where names cannot start with a digit. */
export function toEnumName(word: string): string {
  return word === '6sense' ? 'SIX_SENSE' : word.toUpperCase().replaceAll('.', '_');
}

/** What a declared field says of itself. */
export function descriptionOf({ name, fields }: Shape<unknown>, fieldName: string): string {
  const declared = fields[fieldName];
  if (!declared) throw new Error(`${name} has no field ${fieldName}.`);
  return declared.description;
}

/** Words that programs compare, such as those of a problem. */
export function codes<T extends string>(
  name: string,
  description: string,
  meanings: Readonly<Record<T, string>>,
): Words<T> {
  return { ...words(name, description, meanings), isCode: true };
}

/** All words, in order. */
export function wordsOf<T extends string>({ words }: Words<T>): readonly T[] {
  return Object.keys(words) as T[];
}

export function shape<F extends Fields>(
  name: string,
  description: string,
  fields: F,
): Shape<Values<F>> {
  return { kind: 'shape', name, description, fields };
}

/** A declaration of what the APIs show of records that are stored with other fields. */
export function shownOf<T>({ kind, name, description, fields }: Shape<unknown>): Shape<T> {
  return { kind, name, description, fields };
}

/** A change of a record: `keys` identify it; absent fields stay unchanged. */
export function patch<K extends Fields, F extends Fields>(
  name: string,
  description: string,
  keys: K,
  fields: F,
): Shape<Values<K> & { readonly [Name in keyof F]?: Of<F[Name]> | undefined }> {
  const optional = Object.entries(fields).map(([key, one]) => [key, { ...one, optional: true }]);
  return { kind: 'shape', name, description, fields: { ...keys, ...Object.fromEntries(optional) } };
}

export function union<M extends Readonly<Record<string, Shape<unknown>>>>(
  name: string,
  description: string,
  members: M,
): Union<{ [Tag in keyof M]: { readonly type: Tag } & Of<M[Tag]> }[keyof M]> {
  return { kind: 'union', name, description, members };
}

/** Reads validated input of an API into a record. */
export function readShape<T>({ fields }: Shape<T>, value: object, spelling: Spelling): T {
  const values: WireObject = { ...value };
  const read = Object.entries(fields).map(([name, field]) => [
    name,
    readField(field, values[spelling.nameOf(name, field)], spelling),
  ]);
  return Object.fromEntries(read) as T;
}

/** An absent field is null, except in a patch: there absence keeps the field and null clears it. */
function readField(
  { type, nullable, optional }: Field<unknown>,
  value: unknown,
  spelling: Spelling,
): unknown {
  if (value !== undefined && value !== null) return readType(type, value, spelling);
  if (!nullable) return optional ? undefined : [];
  return optional ? value : null;
}

function readType(type: Type, value: unknown, spelling: Spelling): unknown {
  switch (type.kind) {
    case 'list':
      return (value as unknown[]).map((one) => readType(type.of, one, spelling));
    case 'shape':
      return readShape(type, value as object, spelling);
    case 'union': {
      const { tag, member } = spelling.readUnion(value as WireObject);
      const shape = type.members[tag];
      return shape && { type: tag, ...(readShape(shape, member, spelling) as object) };
    }
    default:
      return value;
  }
}

/** How an API names and writes fields. */
interface Spelling {
  nameOf(name: string, field: Field<unknown>): string;
  readUnion(value: WireObject): { readonly tag: string; readonly member: object };
}

type WireObject = Readonly<Record<string, unknown>>;

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type Values<F extends Fields> = { readonly [Name in keyof F]: Of<F[Name]> };

/** A phantom type for the compiler: no value has the property. */
interface Typed<T> {
  readonly declares?: T;
}

/** A declaration that GraphQL and OpenAPI name. */
interface Named<T> extends Typed<T> {
  readonly name: string;
  readonly description: string;
}
