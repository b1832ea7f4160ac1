import { escapeCharacters } from '../../lib/text.ts';

/**
 * Builds all queries. The branded types cannot be created elsewhere without a cast, so a query consists of
 * checked field names, checked numbers and escaped literals (no injection).
 */
export type Soql = string & { readonly [brand]: 'query' };
/** A full-text search. */
export type Sosl = string & { readonly [brand]: 'search' };
export type Condition = string & { readonly [brand]: 'condition' };
export type FieldName = string & { readonly [brand]: 'field' };
export type ObjectName = string & { readonly [brand]: 'object' };

declare const brand: unique symbol;

export function select({ fields, from = CONTACT, where, order, limit }: Select): Soql {
  const conditions = where === undefined ? '' : ` WHERE ${where}`;
  const ordered =
    order === undefined ? '' : ` ORDER BY Id ${order === 'ascending' ? 'ASC' : 'DESC'}`;
  const limited = limit === undefined ? '' : ` LIMIT ${toLimit(limit)}`;
  return `SELECT ${fields.join(',')} FROM ${from}${conditions}${ordered}${limited}` as Soql;
}

export const CONTACT = 'Contact' as ObjectName;
export const ACCOUNT = 'Account' as ObjectName;
export const OPPORTUNITY = 'Opportunity' as ObjectName;
export const OPPORTUNITY_STAGE = 'OpportunityStage' as ObjectName;
export const OPPORTUNITY_CONTACT_ROLE = 'OpportunityContactRole' as ObjectName;
export const ACCOUNT_CONTACT_RELATION = 'AccountContactRelation' as ObjectName;
export const USER = 'User' as ObjectName;

/** Whether it can name an object. Names are case-insensitive. */
export function isObjectName(name: string): name is ObjectName {
  return name.length <= MAX_FIELD_NAME && OBJECT_NAME.test(name) && isFieldName(name);
}

export function count(from: ObjectName, where: Condition | undefined): Soql {
  const conditions = where === undefined ? '' : ` WHERE ${where}`;
  return `SELECT COUNT() FROM ${from}${conditions}` as Soql;
}

export function isIn(field: FieldName, values: readonly string[]): Condition {
  if (values.length === 0) throw new RangeError('An empty IN list is not a condition');
  return `${field} IN (${values.map(quote).join(',')})` as Condition;
}

export function endsWith(field: FieldName, ending: string): Condition {
  return `${field} LIKE '%${escapePattern(ending)}'` as Condition;
}

export function contains(field: FieldName, part: string): Condition {
  return `${field} LIKE '%${escapePattern(part)}%'` as Condition;
}

/** All records. */
export function isSet(field: FieldName): Condition {
  return `${field} != null` as Condition;
}

/** Inclusive at both ends, which are cut to seconds, as times are in responses. */
export function isWithin(field: FieldName, from: Date, to: Date): Condition {
  return `${field} >= ${toDatetime(from)} AND ${field} <= ${toDatetime(to)}` as Condition;
}

function toDatetime(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** The field, or a word in it after one of the dividers, starts so. A space stands for any text. */
export function hasWordPrefix(
  field: FieldName,
  prefix: string,
  dividers: readonly string[],
): Condition {
  const pattern = prefix.split(' ').map(escapePattern).join('%');
  const inside = dividers.map(
    (divider) => `${field} LIKE '%${escapePattern(divider)}${pattern}%'` as Condition,
  );
  return anyOf([`${field} LIKE '${pattern}%'` as Condition, ...inside]);
}

/** Has these digits in this order, among other signs. */
export function hasDigits(field: FieldName, digits: string): Condition {
  return `${field} LIKE '%${Array.from(digits, escapePattern).join('%')}%'` as Condition;
}

/** Whether a multi-select picklist has the value. A semicolon would separate several. */
export function includes(field: FieldName, value: string): Condition {
  return `${field} INCLUDES (${quote(value)})` as Condition;
}

export function compare(field: FieldName, operator: Operator, value: Literal | string): Condition {
  const literal = typeof value === 'string' ? quote(value) : value.soql;
  return `${field} ${operator} ${literal}` as Condition;
}

type Operator = '=' | '<' | '<=' | '>' | '>=';

/** All conditions; undefined for none. */
export function allOf(
  conditions: readonly [Condition, ...(readonly (Condition | undefined)[])],
): Condition;
export function allOf(conditions: readonly (Condition | undefined)[]): Condition | undefined;
export function allOf(conditions: readonly (Condition | undefined)[]): Condition | undefined {
  const given = conditions.filter((one) => one !== undefined);
  return given.length === 0 ? undefined : (given.join(' AND ') as Condition);
}

export function anyOf(conditions: readonly [Condition, ...Condition[]]): Condition {
  return `(${conditions.join(' OR ')})` as Condition;
}

/** A literal without quotes, as fields that are no text take it. */
export interface Literal {
  readonly soql: string & { readonly [brand]: 'literal' };
}

export function numberLiteral(value: number): Literal {
  if (!Number.isFinite(value)) throw new RangeError('Not a number');
  return literal(value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 }));
}

export function booleanLiteral(value: boolean): Literal {
  return literal(value ? 'TRUE' : 'FALSE');
}

/** A time, or with `isDate` its day in UTC. */
export function timeLiteral(time: number, isDate = false): Literal {
  const text = new Date(time).toISOString();
  return literal(isDate ? text.slice(0, 10) : text);
}

function literal(text: string): Literal {
  return { soql: text as Literal['soql'] };
}

/** Finds contacts by their phone numbers, of which the search index has the digits. */
export function findPhones(numbers: readonly string[], limit: number): Sosl {
  if (!numbers.every((digits) => /^\d+$/.test(digits))) throw new RangeError('Not digits');
  return `FIND {${numbers.join(' OR ')}} IN PHONE FIELDS RETURNING Contact(Id LIMIT ${toLimit(limit)})` as Sosl;
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
const OBJECT_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;
const FIELD_NAME = /^[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)?$/;

/**
 * What JSON leaves as it is and is escaped for safety: control characters and line separators. JSON escapes lone
 * surrogates, which no URL can carry.
 */
const UNSAFE = /[\p{Cc}\u2028\u2029]/gu;

export interface Select {
  readonly fields: readonly FieldName[];
  /** Absent: contacts. */
  readonly from?: ObjectName | undefined;
  readonly where: Condition | undefined;
  readonly order?: 'ascending' | 'descending' | undefined;
  readonly limit?: number | undefined;
}
