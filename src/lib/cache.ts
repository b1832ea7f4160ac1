/**
 * A cache with a TTL and a bound of entries. What is not there (undefined) is not cached, and neither is a failure. Callers
 * that load the same key at the same moment share one promise.
 */
export function createTtlCache<Value>({ maxAgeMs, maxEntries, now }: TtlCacheOptions) {
  const entries = new Map<string, { readonly value: Value; readonly until: number }>();
  const loading = new Map<string, Promise<Value | undefined>>();

  return {
    /** What is cached comes at once: without a promise. */
    find(
      key: string,
      load: () => Promise<Value | undefined>,
    ): Promise<Value | undefined> | Value | undefined {
      const known = entries.get(key);
      if (known && now() < known.until) return known.value;
      return loading.get(key) ?? loadOnce(key, load);
    },

    /** It is no longer true: the next one loads it again. What is being loaded may be out of date too, and is not cached. */
    forget(key: string): void {
      entries.delete(key);
      loading.delete(key);
    },
  };

  function loadOnce(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
    // Its age counts from when it was asked for, not from when the answer came.
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
    entries.delete(key);
    if (value === undefined) return;
    // A map keeps the order of insertion: the first one is the oldest.
    for (const oldest of entries.keys()) {
      if (entries.size < maxEntries) break;
      entries.delete(oldest);
    }
    entries.set(key, { value, until });
  }
}

interface TtlCacheOptions {
  readonly maxAgeMs: number;
  readonly maxEntries: number;
  now(): number;
}

/**
 * One run for all callers that come while it is in flight. Its error may be cloned, so that each caller that joined has an
 * instance of its own.
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
 * A cache that is bounded in bytes and shared fairly: while there is room an owner may have all of it; where there is none,
 * the owner that holds the most loses its least recently used entry.
 */
export function createFairCache<Value>({ maxBytes, maxEntryBytes, memory }: FairCacheOptions) {
  const entries = new Map<string, Entry<Value>>();
  const owners = new Map<string, CacheOwner>();
  let bytes = 0;
  let charged = 0;

  return {
    get(key: string): Value | undefined {
      const entry = entries.get(key);
      if (!entry) return undefined;
      // A set keeps the order of insertion: what is used again goes to its end.
      if (entry.owner.newest !== key) {
        entry.owner.keys.delete(key);
        entry.owner.keys.add(key);
        entry.owner.newest = key;
      }
      return entry.value;
    },

    /** An entry that is too large by itself is not kept. */
    set(key: string, value: Value, size: { readonly owner: string; readonly bytes: number }): void {
      remove(key);
      if (size.bytes > maxEntryBytes) {
        charge();
        return;
      }
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

  /** What is kept under the key has become larger by so many bytes. */
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
    let largest: CacheOwner | undefined;
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

interface FairCacheOptions {
  readonly maxBytes: number;
  readonly maxEntryBytes: number;
  /** What the cache holds is charged to. `grow` returns false where there is no room. */
  readonly memory?: CacheMemory | undefined;
}

export interface CacheMemory {
  grow(bytes: number): boolean;
  shrink(bytes: number): void;
}

interface Entry<Value> {
  readonly value: Value;
  readonly owner: CacheOwner;
  bytes: number;
}

interface CacheOwner {
  readonly name: string;
  /** In the order of their last use. */
  readonly keys: Set<string>;
  bytes: number;
  newest: string | undefined;
}
