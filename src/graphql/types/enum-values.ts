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

export function toEnumName(word: string): string {
  return SPELLED[word] ?? word.toUpperCase().replaceAll('.', '_');
}
