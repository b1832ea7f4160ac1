/** Splits a list into the items that match and the others, each in order. */
export function partition<Item, Matching extends Item>(
  items: readonly Item[],
  matches: (item: Item) => item is Matching,
): [Matching[], Exclude<Item, Matching>[]];
export function partition<Item>(
  items: readonly Item[],
  matches: (item: Item) => boolean,
): [Item[], Item[]];
export function partition<Item>(items: readonly Item[], matches: (item: Item) => boolean) {
  return [items.filter(matches), items.filter((item) => !matches(item))];
}
