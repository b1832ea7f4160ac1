/**
 * Remembers what was found for a few seconds, and at most so many of it. What is not there (undefined) is not
 * remembered, and neither is a failure. Who asks for the same at the same moment waits for one answer.
 */
export function createTimedCache<Value>({ maxAgeMs, maxEntries, now }: TimedCacheOptions): TimedCache<Value> {
  const kept = new Map<string, { readonly value: Value; readonly until: number }>();
  const loading = new Map<string, Promise<Value | undefined>>();

  return async (key, load) => {
    const known = kept.get(key);
    if (known && now() < known.until) return known.value;
    const running = loading.get(key);
    if (running) return running;
    // Its age counts from when it was asked for, not from when the answer came.
    const until = now() + maxAgeMs;
    const asked = load()
      .then((value) => keep(key, value, until))
      .finally(() => loading.delete(key));
    loading.set(key, asked);
    return asked;
  };

  function keep(key: string, value: Value | undefined, until: number): Value | undefined {
    kept.delete(key);
    if (value === undefined) return undefined;
    // A map keeps the order of insertion: the first one is the oldest.
    for (const oldest of kept.keys()) {
      if (kept.size < maxEntries) break;
      kept.delete(oldest);
    }
    kept.set(key, { value, until });
    return value;
  }
}

export type TimedCache<Value> = (
  key: string,
  load: () => Promise<Value | undefined>,
) => Promise<Value | undefined>;

interface TimedCacheOptions {
  readonly maxAgeMs: number;
  readonly maxEntries: number;
  now(): number;
}
