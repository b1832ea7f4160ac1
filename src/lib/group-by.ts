/** Items in groups with the same key, in the order of their first ones. Those without a key are left out. */
export function groupBy<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key | null,
): readonly (readonly Item[])[] {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}
