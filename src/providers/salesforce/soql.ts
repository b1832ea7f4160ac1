import { escapeCharacters } from '../../lib/text.ts';

/**
 * Builds all queries. The three branded types cannot be created elsewhere without a cast, so a `Soql` consists of
 * checked field names, checked numbers and escaped literals (no injection).
 */
export type Soql = string & { readonly [brand]: 'query' };
export type Condition = string & { readonly [brand]: 'condition' };
export type FieldName = string & { readonly [brand]: 'field' };

declare const brand: unique symbol;

export function select({ fields, where, order, limit }: Select): Soql {
  const ordered =
    order === undefined ? '' : ` ORDER BY Id ${order === 'ascending' ? 'ASC' : 'DESC'}`;
  const limited = limit === undefined ? '' : ` LIMIT ${toLimit(limit)}`;
  return `SELECT ${fields.join(',')} FROM Contact WHERE ${where}${ordered}${limited}` as Soql;
}

export function count(where: Condition): Soql {
  return `SELECT COUNT() FROM Contact WHERE ${where}` as Soql;
}

export function isIn(field: FieldName, values: readonly string[]): Condition {
  if (values.length === 0) throw new RangeError('An empty IN list is not a condition');
  return `${field} IN (${values.map(quote).join(',')})` as Condition;
}

export function endsWith(field: FieldName, ending: string): Condition {
  return `${field} LIKE '%${escapePattern(ending)}'` as Condition;
}

export function compare(
  field: FieldName,
  operator: '<' | '<=' | '>' | '>=',
  value: string,
): Condition {
  return `${field} ${operator} ${quote(value)}` as Condition;
}

export function allOf(conditions: readonly [Condition, ...Condition[]]): Condition {
  return conditions.join(' AND ') as Condition;
}

/** A string literal with all special characters escaped. */
export function quote(value: string): string {
  return `'${escapeText(value)}'`;
}

/** Whether it names a field of the contact, or of a record that it references. */
export function isFieldName(name: string): name is FieldName {
  return (
    name.length <= MAX_FIELD_NAME &&
    FIELD_NAME.test(name) &&
    !name.split('.').some((part) => RESERVED_WORDS.has(part.toUpperCase()))
  );
}

/** No field has such a name, and a query with one is malformed. */
const RESERVED_WORDS: ReadonlySet<string> = new Set(
  'AND ASC DESC EXCLUDES FIRST FROM GROUP HAVING IN INCLUDES LAST LIKE LIMIT NOT NULL NULLS OR ORDER SELECT TYPEOF USING WHERE WITH'.split(
    ' ',
  ),
);

/** All standard fields visible to the user. None of them may be selected in addition. */
export const STANDARD_FIELDS = 'FIELDS(STANDARD)' as FieldName;

/** For constant names of this folder; external names go through `isFieldName`. */
export function fieldName(name: string): FieldName {
  if (!isFieldName(name)) throw new TypeError('Not the name of a field');
  return name;
}

/** LIKE patterns also escape `_` and `%`. */
function escapePattern(value: string): string {
  return escapeText(value).replace(/[_%]/g, '\\$&');
}

/** SOQL has the escapes of JSON, and one for its own quote. */
function escapeText(value: string): string {
  return escapeCharacters(JSON.stringify(value).slice(1, -1).replaceAll("'", "\\'"), UNSAFE);
}

function toLimit(limit: number): number {
  if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError('Not a limit');
  return limit;
}

const MAX_FIELD_NAME = 255;
const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)?$/;

/**
 * What JSON leaves as it is and is escaped for safety: control characters and line separators. JSON escapes lone
 * surrogates, which no URL can carry.
 */
const UNSAFE = /[\p{Cc}\u2028\u2029]/gu;

export interface Select {
  readonly fields: readonly FieldName[];
  readonly where: Condition;
  readonly order?: 'ascending' | 'descending' | undefined;
  readonly limit?: number | undefined;
}
