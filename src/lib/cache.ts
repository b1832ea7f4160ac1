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

  /** Returns a cached value without a promise. One that is older than `acceptedMs` is forgotten. */
  function find(
    key: string,
    load: () => Promise<Value | undefined>,
    acceptedMs = maxAgeMs,
  ): Promise<Value | undefined> | Value | undefined {
    const known = entries.get(key);
    if (known && now() < known.until) {
      if (now() - (known.until - maxAgeMs) <= acceptedMs) return known.value;
      remove(key);
    }
    const running = loading.get(key);
    if (!running) return loadOnce(key, load);
    if (!isAbandoned) return running;
    return running.catch((error) => {
      if (!isAbandoned(error)) throw error;
      return find(key, load, acceptedMs);
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
