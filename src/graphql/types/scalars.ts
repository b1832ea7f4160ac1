import { GraphQLError } from 'graphql';
import { isRfc3339 } from '../../lib/text.ts';
import { builder } from '../builder.ts';

builder.scalarType('DateTime', {
  description:
    'A moment, written as in RFC 3339: `2025-01-31T09:30:00.000Z`. Answers are in UTC with milliseconds.',
  serialize: (value) => value,
  parseValue(value) {
    if (typeof value === 'string' && isRfc3339(value)) return value;
    throw new GraphQLError('DateTime takes a string as in RFC 3339, such as 2025-01-31T09:30:00Z.');
  },
});

builder.scalarType('JSON', {
  description: 'A JSON value whose shape belongs to somebody else, passed on as it is.',
  serialize: (value) => value,
});

/** GraphQL names cannot start with a digit. */
const SPELLED: Readonly<Record<string, string>> = { '6sense': 'SIX_SENSE' };

/** From the domain's words, each with its description, to enum values that stand for exactly those words. */
export function toEnumValues<Word extends string>(descriptions: Readonly<Record<Word, string>>) {
  const entries = Object.entries<string>(descriptions).map(([word, description]) => [
    toEnumName(word),
    { value: word as Word, description },
  ]);
  return Object.fromEntries(entries) as Record<string, { value: Word; description: string }>;
}

function toEnumName(word: string): string {
  return SPELLED[word] ?? word.toUpperCase().replaceAll('.', '_');
}
