/**
 * Counts calls the way a provider's rolling window does. A call is counted from its sending until one interval after
 * its answer: whenever in between the provider counted it, its window is over by then.
 */
export function createRollingWindow(): RollingWindow {
  const buckets: Bucket[] = [];
  let held = 0;
  let otherConsumers: Bucket | undefined;

  return {
    count(now) {
      while (buckets[0] && buckets[0].releaseAt <= now) {
        held -= buckets[0].count;
        if (buckets[0] === otherConsumers) otherConsumers = undefined;
        buckets.shift();
      }
      return held;
    },

    add(releaseAt, bucketMs) {
      bucketFor(releaseAt, bucketMs).count++;
      held++;
    },

    setOtherConsumers(count, releaseAt, bucketMs) {
      if (otherConsumers) {
        otherConsumers.count -= otherConsumers.otherConsumers;
        held -= otherConsumers.otherConsumers;
        otherConsumers.otherConsumers = 0;
      }
      otherConsumers = count === 0 ? undefined : bucketFor(releaseAt, bucketMs);
      if (!otherConsumers) return;
      otherConsumers.otherConsumers = count;
      otherConsumers.count += count;
      held += count;
    },

    otherConsumers: () => otherConsumers?.otherConsumers ?? 0,

    releaseAt(nth, otherwise) {
      let before = 0;
      for (const bucket of buckets) {
        before += bucket.count;
        if (nth < before) return bucket.releaseAt;
      }
      return otherwise;
    },
  };

  /** Moments close together share a bucket that ends with the latest of them, so that memory stays bounded. */
  function bucketFor(releaseAt: number, bucketMs: number): Bucket {
    const last = buckets.at(-1);
    if (last && releaseAt <= last.releaseAt) return last;
    const bucket = { releaseAt: releaseAt + bucketMs, count: 0, otherConsumers: 0 };
    buckets.push(bucket);
    return bucket;
  }
}

export interface RollingWindow {
  /** Calls that still count. */
  count(now: number): number;
  add(releaseAt: number, bucketMs: number): void;
  /** Calls of others that the provider has told about; replaces what it told before. */
  setOtherConsumers(count: number, releaseAt: number, bucketMs: number): void;
  otherConsumers(): number;
  /** When the n-th (from 0) of the counted calls stops to count; `otherwise` where that is not known yet. */
  releaseAt(nth: number, otherwise: number): number;
}

interface Bucket {
  readonly releaseAt: number;
  count: number;
  /** How many of them are calls of others. */
  otherConsumers: number;
}
