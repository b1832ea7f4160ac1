import type { BoundCondition } from './bind.ts';
import type { Key } from './fields.ts';
import type { CompareOperator } from './syntax.ts';
import type { Row } from './table.ts';

/** Two-valued logic: a comparison with null is false, and its negation true. */
export function toMatcher(condition: BoundCondition): (row: Row) => boolean {
  switch (condition.kind) {
    case 'and': {
      const tests = condition.parts.map(toMatcher);
      return (row) => tests.every((test) => test(row));
    }
    case 'or': {
      const tests = condition.parts.map(toMatcher);
      return (row) => tests.some((test) => test(row));
    }
    case 'not': {
      const test = toMatcher(condition.part);
      return (row) => !test(row);
    }
    case 'in': {
      const { field, values, negated } = condition;
      return (row) => values.has(field.key(row)) !== negated;
    }
    case 'includes': {
      const { field, choices, negated } = condition;
      return (row) => {
        const has = String(field.key(row) ?? '').split(';');
        return choices.some((all) => all.every((one) => has.includes(one))) !== negated;
      };
    }
    case 'like': {
      const { field, pattern } = condition;
      return (row) => {
        const value = field.read(row);
        return typeof value === 'string' && pattern.test(value);
      };
    }
    case 'span': {
      const { field, from, to } = condition;
      const test = SPANS[condition.operator];
      return (row) => {
        const key = field.key(row);
        return typeof key === 'string' ? test(key, from, to) : condition.operator === '!=';
      };
    }
    case 'compare': {
      const { field, value } = condition;
      const compare = COMPARISONS[condition.operator];
      return (row) => compare(field.key(row), value);
    }
  }
}

/** `to` is the first moment after the span. */
const SPANS: Readonly<Record<CompareOperator, (key: string, from: string, to: string) => boolean>> =
  {
    '=': (key, from, to) => key >= from && key < to,
    '!=': (key, from, to) => key < from || key >= to,
    '<': (key, from) => key < from,
    '<=': (key, _from, to) => key < to,
    '>': (key, _from, to) => key >= to,
    '>=': (key, from) => key >= from,
  };

const COMPARISONS: Readonly<Record<CompareOperator, (left: Key, right: Key) => boolean>> = {
  '=': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left !== null && right !== null && left < right,
  '<=': (left, right) => left !== null && right !== null && left <= right,
  '>': (left, right) => left !== null && right !== null && left > right,
  '>=': (left, right) => left !== null && right !== null && left >= right,
};
