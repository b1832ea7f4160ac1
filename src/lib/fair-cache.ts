/**
 * A cache that is bounded in bytes and shared fairly: while there is room an owner may have all of it; where there is none,
 * the owner that holds the most gives up what it has not used for the longest.
 */
export function createFairCache<Value>({
  maxBytes,
  maxEntryBytes,
  memory,
}: FairCacheOptions): FairCache<Value> {
  const entries = new Map<string, Entry<Value>>();
  const owners = new Map<string, Owner>();
  let bytes = 0;
  let charged = 0;

  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      // A map keeps the order of insertion: what is used again goes to its end.
      if (entry.owner.newest !== key) {
        entry.owner.keys.delete(key);
        entry.owner.keys.add(key);
        entry.owner.newest = key;
      }
      return entry.value;
    },

    set(key, value, { owner: name, bytes: size }) {
      remove(key);
      if (size > maxEntryBytes) return charge();
      const owner = owners.get(name) ?? { name, keys: new Set(), bytes: 0, newest: undefined };
      owners.set(name, owner);
      entries.set(key, { value, owner, bytes: 0 });
      owner.keys.add(key);
      owner.newest = key;
      grow(key, size);
    },

    grow,
    counts: () => ({ entries: entries.size, bytes }),
  };

  function grow(key: string, by: number): void {
    const entry = entries.get(key);
    if (!entry) return;
    entry.bytes += by;
    entry.owner.bytes += by;
    bytes += by;
    while (bytes > maxBytes) removeOldest();
    charge();
  }

  /** Where the process has no memory for it, the cache becomes smaller. */
  function charge(): void {
    while (bytes > charged && memory?.grow(bytes - charged) === false) removeOldest();
    if (bytes < charged) memory?.shrink(charged - bytes);
    charged = bytes;
  }

  function removeOldest(): void {
    let largest: Owner | undefined;
    for (const owner of owners.values()) if (!largest || owner.bytes > largest.bytes) largest = owner;
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

interface FairCache<Value> {
  get(key: string): Value | undefined;
  /** An entry that is too large by itself is not kept. */
  set(key: string, value: Value, size: { readonly owner: string; readonly bytes: number }): void;
  /** What is kept under the key has become larger by so many bytes. */
  grow(key: string, by: number): void;
  counts(): { readonly entries: number; readonly bytes: number };
}

interface FairCacheOptions {
  readonly maxBytes: number;
  readonly maxEntryBytes: number;
  /** What the cache holds is charged to. `grow` answers false where there is no room. */
  readonly memory?: CacheMemory | undefined;
}

export interface CacheMemory {
  grow(bytes: number): boolean;
  shrink(bytes: number): void;
}

interface Entry<Value> {
  readonly value: Value;
  readonly owner: Owner;
  bytes: number;
}

interface Owner {
  readonly name: string;
  /** In the order of their last use. */
  readonly keys: Set<string>;
  bytes: number;
  newest: string | undefined;
}
