/** Those of three that are there: exactly as long as it has to be, where a list that grows begins with room for 17. */
export function compact<Item>(a: Item | null, b: Item | null, c: Item | null): readonly Item[] {
  if (c !== null) {
    if (b !== null) return a === null ? [b, c] : [a, b, c];
    return a === null ? [c] : [a, c];
  }
  if (b !== null) return a === null ? [b] : [a, b];
  return a === null ? NONE : [a];
}

const NONE: readonly never[] = [];
