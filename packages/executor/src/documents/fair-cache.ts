/**
 * A cache bounded in bytes with fair eviction: while there is room one owner may fill it; when it is full, the owner
 * that holds the most loses its least recently used entry. Parts share the limit and the owners, and have keys of their
 * own.
 */
export function createFairCache<Value>({
  maxBytes,
  maxEntryBytes,
}: FairCacheOptions): FairCache<Value> {
  const owners = new Map<string, CacheOwner<Value>>();
  const total = { entries: 0, bytes: 0 };
  return openPart();

  function openPart(): FairCache<Value> {
    const part = new Map<string, Entry<Value>>();
    let isClosed = false;
    return {
      get(key) {
        const entry = part.get(key);
        if (entry) markUsed(entry);
        return entry?.value;
      },

      set(key, value, size) {
        const existing = part.get(key);
        if (existing) remove(existing);
        if (isClosed || size.bytes > maxEntryBytes) return;
        const name = size.owner;
        const owner = owners.get(name) ?? { name, entries: new Set(), bytes: 0, newest: undefined };
        owners.set(name, owner);
        const entry = { key, value, owner, part, bytes: 0 };
        part.set(key, entry);
        total.entries += 1;
        markUsed(entry);
        grow(entry, size.bytes);
      },

      grow(key, by) {
        const entry = part.get(key);
        if (entry) grow(entry, by);
      },

      counts: () => ({ ...total }),
      openPart,

      close() {
        isClosed = true;
        for (const entry of [...part.values()]) remove(entry);
      },
    };
  }

  function markUsed(entry: Entry<Value>): void {
    const { owner } = entry;
    if (owner.newest === entry) return;
    // Sets keep insertion order, so a used entry is moved to the end.
    owner.entries.delete(entry);
    owner.entries.add(entry);
    owner.newest = entry;
  }

  function grow(entry: Entry<Value>, by: number): void {
    entry.bytes += by;
    entry.owner.bytes += by;
    total.bytes += by;
    while (total.bytes > maxBytes) removeOldest();
  }

  function removeOldest(): void {
    let largest: CacheOwner<Value> | undefined;
    for (const owner of owners.values())
      if (!largest || owner.bytes > largest.bytes) largest = owner;
    const [oldest] = largest?.entries ?? [];
    if (oldest) remove(oldest);
  }

  function remove(entry: Entry<Value>): void {
    const { key, owner, part, bytes } = entry;
    part.delete(key);
    owner.entries.delete(entry);
    owner.bytes -= bytes;
    total.bytes -= bytes;
    total.entries -= 1;
    if (owner.newest === entry) owner.newest = undefined;
    if (owner.entries.size === 0) owners.delete(owner.name);
  }
}

export interface FairCache<Value> {
  get(key: string): Value | undefined;
  /** Entries above `maxEntryBytes` are not cached. */
  set(key: string, value: Value, size: { readonly owner: string; readonly bytes: number }): void;
  /** Accounts for an entry that has grown by so many bytes. */
  grow(key: string, by: number): void;
  /** Of all parts. */
  counts(): { readonly entries: number; readonly bytes: number };
  openPart(): FairCache<Value>;
  /** Removes the entries of this part. From then on it keeps none. */
  close(): void;
}

interface FairCacheOptions {
  readonly maxBytes: number;
  readonly maxEntryBytes: number;
}

interface Entry<Value> {
  readonly key: string;
  readonly value: Value;
  readonly owner: CacheOwner<Value>;
  /** The part that it is in. */
  readonly part: Map<string, Entry<Value>>;
  bytes: number;
}

interface CacheOwner<Value> {
  readonly name: string;
  /** In order of last use. */
  readonly entries: Set<Entry<Value>>;
  bytes: number;
  newest: Entry<Value> | undefined;
}
