/**
 * A cache with a TTL, bounded by its number of entries and, with `sizeOf`, by their bytes. Missing values (undefined)
 * and failures are not cached. Concurrent loads of a key share one promise (single flight).
 */
export function createTtlCache<Value>(options: TtlCacheOptions<Value>) {
  const {
    maxAgeMs,
    maxEntries,
    maxBytes = Number.POSITIVE_INFINITY,
    sizeOf,
    isAbandoned,
    now,
  } = options;
  const entries = new Map<string, TtlEntry<Value>>();
  let bytes = 0;
  const loading = new Map<string, Promise<Value | undefined>>();

  return {
    find,

    /** Invalidates a key. A load in flight may be stale too, so its result is not cached. */
    forget(key: string): void {
      remove(key);
      loading.delete(key);
    },
  };

  /** Returns a cached value without a promise. */
  function find(
    key: string,
    load: () => Promise<Value | undefined>,
  ): Promise<Value | undefined> | Value | undefined {
    const known = entries.get(key);
    if (known && now() < known.until) return known.value;
    const running = loading.get(key);
    if (!running) return loadOnce(key, load);
    if (!isAbandoned) return running;
    return running.catch((error) => {
      if (!isAbandoned(error)) throw error;
      return find(key, load);
    });
  }

  function loadOnce(
    key: string,
    load: () => Promise<Value | undefined>,
  ): Promise<Value | undefined> {
    // The TTL starts at the request, not at the response.
    const until = now() + maxAgeMs;
    const loaded: Promise<Value | undefined> = load()
      .then((value) => {
        if (loading.get(key) === loaded) set(key, value, until);
        return value;
      })
      .finally(() => {
        if (loading.get(key) === loaded) loading.delete(key);
      });
    loading.set(key, loaded);
    return loaded;
  }

  function set(key: string, value: Value | undefined, until: number): void {
    remove(key);
    if (value === undefined) return;
    const size = sizeOf?.(value) ?? 0;
    // Maps keep insertion order, so the first entry is the oldest.
    for (const oldest of entries.keys()) {
      if (entries.size < maxEntries && bytes + size <= maxBytes) break;
      remove(oldest);
    }
    if (size > maxBytes) return;
    entries.set(key, { value, until, size });
    bytes += size;
  }

  function remove(key: string): void {
    bytes -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  }
}

interface TtlCacheOptions<Value> {
  readonly maxAgeMs: number;
  readonly maxEntries: number;
  /** The maximum of all sizes together. */
  readonly maxBytes?: number;
  readonly sizeOf?: (value: Value) => number;
  /** Whether a load failed only because its caller gave it up: those that share it then load themselves. */
  readonly isAbandoned?: (error: unknown) => boolean;
  now(): number;
}

interface TtlEntry<Value> {
  readonly value: Value;
  readonly until: number;
  readonly size: number;
}

/**
 * Single flight: callers that arrive during a run share it. Errors may be cloned, so that each waiter gets its own
 * instance.
 */
export function createSingleFlight<T>(cloneError = (error: unknown) => error) {
  let running: Promise<T> | undefined;
  return async (run: () => Promise<T>): Promise<T> => {
    if (running) {
      return running.catch((error: unknown) => {
        throw cloneError(error);
      });
    }
    running = run();
    try {
      return await running;
    } finally {
      running = undefined;
    }
  };
}

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
