/**
 * A cache bounded in bytes with fair eviction: while there is room one owner may fill it; when it is full, the owner
 * that holds the most loses its least recently used entry.
 */
export function createFairCache<Value>({ maxBytes, maxEntryBytes }: FairCacheOptions) {
  const entries = new Map<string, Entry<Value>>();
  const owners = new Map<string, CacheOwner>();
  let bytes = 0;

  return {
    get(key: string): Value | undefined {
      const entry = entries.get(key);
      if (!entry) return undefined;
      // Sets keep insertion order, so a used key is moved to the end.
      if (entry.owner.newest !== key) {
        entry.owner.keys.delete(key);
        entry.owner.keys.add(key);
        entry.owner.newest = key;
      }
      return entry.value;
    },

    /** Entries above `maxEntryBytes` are not cached. */
    set(key: string, value: Value, size: { readonly owner: string; readonly bytes: number }): void {
      remove(key);
      if (size.bytes > maxEntryBytes) return;
      const name = size.owner;
      const owner = owners.get(name) ?? { name, keys: new Set(), bytes: 0, newest: undefined };
      owners.set(name, owner);
      entries.set(key, { value, owner, bytes: 0 });
      owner.keys.add(key);
      owner.newest = key;
      grow(key, size.bytes);
    },

    grow,
    counts: () => ({ entries: entries.size, bytes }),
  };

  /** Accounts for an entry that has grown by so many bytes. */
  function grow(key: string, by: number): void {
    const entry = entries.get(key);
    if (!entry) return;
    entry.bytes += by;
    entry.owner.bytes += by;
    bytes += by;
    while (bytes > maxBytes) removeOldest();
  }

  function removeOldest(): void {
    let largest: CacheOwner | undefined;
    for (const owner of owners.values())
      if (!largest || owner.bytes > largest.bytes) largest = owner;
    const [oldest] = largest?.keys ?? [];
    if (oldest !== undefined) remove(oldest);
  }

  function remove(key: string): void {
    const entry = entries.get(key);
    if (!entry) return;
    const { owner } = entry;
    entries.delete(key);
    owner.keys.delete(key);
    owner.bytes -= entry.bytes;
    bytes -= entry.bytes;
    if (owner.newest === key) owner.newest = undefined;
    if (owner.keys.size === 0) owners.delete(owner.name);
  }
}

interface FairCacheOptions {
  readonly maxBytes: number;
  readonly maxEntryBytes: number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly owner: CacheOwner;
  bytes: number;
}

interface CacheOwner {
  readonly name: string;
  /** Keys in order of last use. */
  readonly keys: Set<string>;
  bytes: number;
  newest: string | undefined;
}
