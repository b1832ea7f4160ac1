import { queryFault, type SalesforceError } from '../errors.ts';
import { wireDatetime } from '../values/datetime.ts';
import { toId15 } from '../values/record-id.ts';
import { DATE_LITERALS, toTimes } from './date-literals.ts';
import { type BoundField, type Key, resolveField, type Scope, toKey } from './fields.ts';
import type { CompareOperator, Condition, Literal, LiteralType, Name } from './syntax.ts';
import type { FieldType } from './table.ts';

/** Resolves names to fields, and checks every literal against the type of its field. */
export function bindCondition(scope: Scope, condition: Condition): BoundCondition {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return {
        kind: condition.kind,
        parts: condition.parts.map((part) => bindCondition(scope, part)),
      };
    case 'not':
      return { kind: 'not', part: bindCondition(scope, condition.part) };
    case 'like':
      return { kind: 'like', field: bindLike(scope, condition.field), pattern: condition.pattern };
    case 'in': {
      const field = bindFilter(scope, condition.field, true);
      const values = new Set(condition.values.map((value) => bindLiteral(scope, field, value)));
      return { kind: 'in', field, negated: condition.negated, values };
    }
    case 'includes': {
      const field = bindFilter(scope, condition.field, true);
      if (field.definition.type !== 'multipicklist')
        throw refuse(scope, condition.field, {
          errorCode: OPERATOR,
          text: `invalid operator on ${field.definition.type} field`,
        });
      const values = condition.values.map((value) => String(bindLiteral(scope, field, value)));
      const choices = values.map((value) => value.split(';'));
      return { kind: 'includes', field, negated: condition.negated, choices };
    }
    case 'compare': {
      const field = bindFilter(scope, condition.field, ['=', '!='].includes(condition.operator));
      if (condition.value.type === 'dateLiteral') return bindSpan(scope, field, condition);
      const value = bindLiteral(scope, field, condition.value);
      if (field.definition.type === 'boolean' && !['=', '!='].includes(condition.operator)) {
        throw refuse(scope, condition.field, {
          errorCode: OPERATOR,
          text: 'invalid operator on boolean field',
        });
      }
      return { kind: 'compare', field, operator: condition.operator, value };
    }
  }
}

function bindFilter(scope: Scope, name: Name, isWhole: boolean): BoundField {
  const field = resolveField(scope, name);
  const { type, encryption, isUnfilterable = false } = field.definition;
  const isLegible = encryption === undefined || (encryption === 'deterministic' && isWhole);
  if (type !== 'address' && !isUnfilterable && isLegible) return field;
  const text = `field '${field.definition.name}' can not be filtered in a query call`;
  throw refuse(scope, name, { errorCode: 'INVALID_FIELD', text });
}

function bindLike(scope: Scope, name: Name): BoundField {
  const field = bindFilter(scope, name, false);
  const { type } = field.definition;
  if (EXPECTED[type] === 'string' && type !== 'id' && type !== 'reference') return field;
  const text = `invalid operator on ${type === 'reference' ? 'id' : type} field`;
  throw refuse(scope, name, { errorCode: OPERATOR, text });
}

function bindSpan(
  scope: Scope,
  field: BoundField,
  { operator, value }: Comparison,
): BoundCondition {
  const { type, name } = field.definition;
  const literal = DATE_LITERALS.get(String(value.value));
  if (literal === undefined || (type !== 'date' && type !== 'datetime')) {
    const text = `date literal ${value.value} cannot be compared with field '${name}'`;
    throw refuse(scope, value, { errorCode: 'INVALID_FIELD', text });
  }
  const [from, to] = toTimes(literal.toSpan(value.count ?? 0), scope.now);
  const toText = (time: number) =>
    type === 'date' ? wireDatetime(time).slice(0, 10) : wireDatetime(time);
  return { kind: 'span', field, operator, from: toText(from), to: toText(to) };
}

function bindLiteral(scope: Scope, { definition }: BoundField, literal: Literal): Key {
  if (literal.type === 'null') return null;
  const expected = EXPECTED[definition.type];
  if (literal.type !== expected) {
    const quotes = expected === 'string' ? 'should be' : 'should not be';
    const text = `value of filter criterion for field '${definition.name}' must be of type ${TYPE_NAMES[expected]} and ${quotes} enclosed in quotes`;
    throw refuse(scope, literal, { errorCode: 'INVALID_FIELD', text });
  }
  if (definition.type !== 'id' && definition.type !== 'reference')
    return toKey(definition.type, literal.value, scope.database.locale);
  const id15 = toId15(String(literal.value));
  if (id15 !== undefined) return id15;
  throw refuse(scope, literal, { errorCode: OPERATOR, text: `invalid ID field: ${literal.value}` });
}

function refuse(
  { soql }: Scope,
  { at }: { readonly at: number },
  fault: { readonly errorCode: string; readonly text: string },
): SalesforceError {
  return queryFault(soql, { ...fault, at });
}

const OPERATOR = 'INVALID_QUERY_FILTER_OPERATOR';

const EXPECTED: Readonly<Record<FieldType, ValueType>> = {
  id: 'string',
  reference: 'string',
  string: 'string',
  textarea: 'string',
  email: 'string',
  phone: 'string',
  picklist: 'string',
  url: 'string',
  encryptedstring: 'string',
  combobox: 'string',
  multipicklist: 'string',
  time: 'string',
  address: 'string',
  location: 'string',
  boolean: 'boolean',
  int: 'number',
  long: 'number',
  double: 'number',
  currency: 'number',
  percent: 'number',
  date: 'date',
  datetime: 'datetime',
};

const TYPE_NAMES: Readonly<Record<ValueType, string>> = {
  string: 'string',
  boolean: 'boolean',
  number: 'double',
  date: 'date',
  datetime: 'dateTime',
};

type ValueType = Exclude<LiteralType, 'null' | 'dateLiteral'>;
type Comparison = Extract<Condition, { readonly kind: 'compare' }>;

export type BoundCondition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly BoundCondition[] }
  | { readonly kind: 'not'; readonly part: BoundCondition }
  | {
      readonly kind: 'compare';
      readonly field: BoundField;
      readonly operator: CompareOperator;
      readonly value: Key;
    }
  | {
      readonly kind: 'span';
      readonly field: BoundField;
      readonly operator: CompareOperator;
      readonly from: string;
      /** Not included. */
      readonly to: string;
    }
  | { readonly kind: 'like'; readonly field: BoundField; readonly pattern: RegExp }
  | {
      readonly kind: 'in';
      readonly field: BoundField;
      readonly negated: boolean;
      readonly values: ReadonlySet<Key>;
    }
  | {
      readonly kind: 'includes';
      readonly field: BoundField;
      readonly negated: boolean;
      /** A value passes that has all choices of one of these. */
      readonly choices: readonly (readonly string[])[];
    };
