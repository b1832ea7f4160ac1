/**
 * An upper bound of the UTF-8 length of a value's JSON, without serializing it. Stops counting above `limit`.
 * Iterative, because a provider's JSON may be nested deeper than the call stack allows.
 */
export function jsonLength(value: unknown, limit = Number.POSITIVE_INFINITY): number {
  const waiting: unknown[] = [value];
  let length = 0;
  while (waiting.length > 0 && length <= limit) {
    const one = waiting.pop();
    if (typeof one === 'string') length += stringLength(one);
    else if (typeof one !== 'object' || one === null) length += PRIMITIVE;
    else if (Array.isArray(one)) {
      length += 2 + one.length;
      for (const item of one) waiting.push(item);
    } else {
      length += 2;
      for (const key in one) {
        length += stringLength(key) + 2;
        waiting.push((one as Record<string, unknown>)[key]);
      }
    }
  }
  return length;
}

/**
 * The number of characters and values of a value, without serializing it. Infinity if it has more than `limits`
 * allow.
 */
export function measureSize(value: unknown, { levels, size, isUnknown }: SizeLimits): number {
  if (typeof value === 'string')
    return value.length > size ? Number.POSITIVE_INFINITY : value.length;
  return measureParts(value, levels, size, isUnknown);
}

/** Parameters instead of an object, because a search measures some ten thousand values. */
function measureParts(
  value: unknown,
  levels: number,
  most: number,
  isUnknown: SizeLimits['isUnknown'],
): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (levels === 0 || isUnknown?.(value)) return Number.POSITIVE_INFINITY;
  let size = 1;
  if (Array.isArray(value)) {
    for (const item of value) {
      size += measurePart(item, levels, most - size, isUnknown);
      if (size > most) return Number.POSITIVE_INFINITY;
    }
    return size;
  }
  for (const key in value) {
    const part = (value as Record<string, unknown>)[key];
    size += key.length + measurePart(part, levels, most - size, isUnknown);
    if (size > most) return Number.POSITIVE_INFINITY;
  }
  return size;
}

function measurePart(
  part: unknown,
  levels: number,
  most: number,
  isUnknown: SizeLimits['isUnknown'],
): number {
  return typeof part === 'string' ? part.length : measureParts(part, levels - 1, most, isUnknown);
}

export interface SizeLimits {
  readonly levels: number;
  readonly size: number;
  /** Whether the size of this object is unknown, and above the limits. */
  isUnknown?(value: object): boolean;
}

/** The length including quotes. */
export function stringLength(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

/** The longest number that JavaScript writes has 24 characters; `false` has 5. */
const PRIMITIVE = 24;
