/** Numbers from 0 to 1 in an order that the seed decides (splitmix32). */
export function createRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** A hash, so that neighbouring indexes give unrelated numbers (the murmur3 finalizer). */
export function scatter(index: number, salt: number): number {
  let mixed = Math.imul(index ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

export function chosen<Item>(items: readonly Item[], seed: number): Item {
  return items[seed % items.length] as Item;
}
