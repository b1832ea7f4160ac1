import type { Expected } from './row.ts';

/** The differences from the expected value, each with its path. */
export function findDifferences(
  actual: unknown,
  expected: Expected,
  place = '',
): readonly string[] {
  if (isKept(actual, expected)) return [];
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length)
      return [`${place} is ${show(actual)}, not a list of ${expected.length}`];
    return expected.flatMap((one, index) =>
      findDifferences(actual[index], one, `${place}[${index}]`),
    );
  }
  if (!isPlain(expected) || !isPlain(actual))
    return [`${place} is ${show(actual)}, not ${show(expected)}`];
  return Object.entries(expected).flatMap(([key, one]) =>
    findDifferences(actual[key], one as Expected, place ? `${place}.${key}` : key),
  );
}

function isKept(actual: unknown, expected: Expected): boolean {
  if (expected instanceof RegExp)
    return (
      (typeof actual === 'string' || typeof actual === 'number') && expected.test(String(actual))
    );
  if (typeof expected === 'function') return expected(actual) === true;
  return Object.is(actual, expected);
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof RegExp)
  );
}

function show(value: unknown): string {
  const text =
    value instanceof RegExp || typeof value === 'function' ? String(value) : JSON.stringify(value);
  return text === undefined ? 'absent' : text.slice(0, 400);
}
