import type { PropertyDefinition } from '../property-definitions.ts';
import type { Filter } from './request.ts';

/**
 * Whether a value passes a filter. Strings compare case-insensitively, except enumerations, and except IN and
 * NOT_IN, whose operands are not lower-cased and therefore must be lower-case already.
 */
export function matches(
  filter: Filter<PropertyDefinition>,
  value: string | null,
  tokensAreWords = false,
): boolean {
  const hasValue = value !== null && value !== '';
  if (filter.operator === 'HAS_PROPERTY') return hasValue;
  if (filter.operator === 'NOT_HAS_PROPERTY') return !hasValue;
  if (filter.operator === 'NOT_CONTAINS_TOKEN')
    return !hasValue || !containsToken(value, filter.value, tokensAreWords);
  if (!hasValue) return false;
  // A multi-value property passes if one of its values does.
  const single = filter.property.fieldType === 'checkbox' ? value.split(';') : [value];
  if (filter.operator === 'NEQ')
    return !single.some((one) => passes({ ...filter, operator: 'EQ' }, one));
  if (filter.operator === 'NOT_IN')
    return !single.some((one) => passes({ ...filter, operator: 'IN' }, one));
  if (filter.operator === 'CONTAINS_TOKEN')
    return single.some((one) => containsToken(one, filter.value, tokensAreWords));
  return single.some((one) => passes(filter, one));
}

/** Negative if `left` sorts first. Unset values sort last. */
export function compareValues(
  property: PropertyDefinition,
  left: string | null,
  right: string | null,
): number {
  if (!left || !right) return Number(!left) - Number(!right);
  return compare(property, fold(property, left), fold(property, right));
}

function passes(filter: Filter<PropertyDefinition>, value: string): boolean {
  const { property } = filter;
  const order = (other: string): number =>
    compare(property, fold(property, value), fold(property, other));
  switch (filter.operator) {
    case 'EQ':
      return order(filter.value) === 0;
    case 'LT':
      return order(filter.value) < 0;
    case 'LTE':
      return order(filter.value) <= 0;
    case 'GT':
      return order(filter.value) > 0;
    case 'GTE':
      return order(filter.value) >= 0;
    case 'BETWEEN':
      return order(filter.value) >= 0 && order(filter.highValue) <= 0;
    case 'IN':
      return filter.values.some((one) => compare(property, fold(property, value), one) === 0);
    default:
      return false;
  }
}

function fold(property: PropertyDefinition, value: string): string {
  return property.type === 'enumeration' ? value : value.toLowerCase();
}

function compare(property: PropertyDefinition, left: string, right: string): number {
  if (property.type === 'number') return Number(left) - Number(right);
  if (property.type === 'datetime' || property.type === 'date') return toTime(left) - toTime(right);
  return left < right ? -1 : Number(left > right);
}

/** Whether every word of a query is a prefix of a word in one of the values. */
export function hasWords(values: readonly string[], query: string): boolean {
  const words = values.flatMap((value) => [value, ...value.split(/[^\p{L}\p{N}]+/u)]);
  const lower = words.map((word) => word.toLowerCase());
  return query
    .split(/\s+/)
    .filter((part) => part !== '')
    .every((part) => lower.some((word) => word.startsWith(part.toLowerCase())));
}

/** Accepts epoch milliseconds, which are negative before 1970, and ISO dates. */
function toTime(value: string): number {
  return /^-?\d+$/.test(value) ? Number(value) : Date.parse(value);
}

/** A token is the whole value or one of its words, or (`tokensAreWords`) words only; a star is a wildcard. */
function containsToken(value: string, searched: string, tokensAreWords: boolean): boolean {
  const lowerValue = value.toLowerCase();
  const words = toWords(lowerValue);
  const lower = searched.trim().toLowerCase();
  if (tokensAreWords && !lower.includes('*'))
    return toWords(lower).every((word) => words.includes(word));
  const pattern = wildcard(lower);
  return (!tokensAreWords && pattern.test(lowerValue)) || words.some((word) => pattern.test(word));
}

function toWords(text: string): readonly string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

function wildcard(searched: string): RegExp {
  if (cached?.searched !== searched) {
    const source = searched
      .split('*')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*');
    cached = { searched, pattern: new RegExp(`^${source}$`, 's') };
  }
  return cached.pattern;
}

/** A search matches one pattern against thousands of values, so the compiled pattern is cached. */
let cached: { readonly searched: string; readonly pattern: RegExp } | undefined;
