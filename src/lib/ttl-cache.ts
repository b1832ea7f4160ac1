/**
 * Remembers what was found for a few seconds, and at most so many of it. What is not there (undefined) is not
 * remembered, and neither is a failure. Who asks for the same at the same moment waits for one answer.
 */
export function createTtlCache<Value>({ maxAgeMs, maxEntries, now }: TtlCacheOptions): TtlCache<Value> {
  const kept = new Map<string, { readonly value: Value; readonly until: number }>();
  const loading = new Map<string, Promise<Value | undefined>>();

  return { find, forget };

  function find(key: string, load: () => Promise<Value | undefined>): MaybePromise<Value | undefined> {
    const known = kept.get(key);
    if (known && now() < known.until) return known.value;
    return loading.get(key) ?? ask(key, load);
  }

  function ask(key: string, load: () => Promise<Value | undefined>): Promise<Value | undefined> {
    // Its age counts from when it was asked for, not from when the answer came.
    const until = now() + maxAgeMs;
    const asked: Promise<Value | undefined> = load()
      .then((value) => (loading.get(key) === asked ? keep(key, value, until) : value))
      .finally(() => {
        if (loading.get(key) === asked) loading.delete(key);
      });
    loading.set(key, asked);
    return asked;
  }

  /** What is being asked for at the moment may be out of date already: it is not kept either. */
  function forget(key: string): void {
    kept.delete(key);
    loading.delete(key);
  }

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

export interface TtlCache<Value> {
  /** What is known comes at once: without a promise. */
  find(key: string, load: () => Promise<Value | undefined>): MaybePromise<Value | undefined>;
  /** It is no longer true: the next one asks again. */
  forget(key: string): void;
}

type MaybePromise<T> = T | Promise<T>;

interface TtlCacheOptions {
  readonly maxAgeMs: number;
  readonly maxEntries: number;
  now(): number;
}
