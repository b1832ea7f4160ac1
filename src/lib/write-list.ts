/**
 * The JSON of a list, some items at a time: no text is ever so long that the engine keeps it apart from what is young,
 * which costs it dearly. And what is read from an item only to be written lives for a moment.
 */
export function* writeList(items: readonly unknown[], read = itself): Iterable<string> {
  for (let from = 0; from < items.length; from += JSON_CHUNK_ITEMS) {
    yield from === 0 ? '[' : ',';
    yield JSON.stringify(items.slice(from, from + JSON_CHUNK_ITEMS).map(read)).slice(1, -1);
  }
  yield items.length === 0 ? '[]' : ']';
}

export function isChunked(list: unknown, above = JSON_CHUNK_ITEMS): list is readonly unknown[] {
  return Array.isArray(list) && list.length > above;
}

function itself(item: unknown): unknown {
  return item;
}

/** So many items are written at a time. */
export const JSON_CHUNK_ITEMS = 32;
