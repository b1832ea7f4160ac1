/**
 * Counts calls the way a provider's rolling window does. A call is counted from its sending until one interval after
 * its answer: whenever in between the provider counted it, its window is over by then.
 */
export function createWindow(): Window {
  const buckets: Bucket[] = [];
  let held = 0;
  let foreign: Bucket | undefined;

  return {
    count(now) {
      while (buckets[0] && buckets[0].releaseAt <= now) {
        held -= buckets[0].count;
        if (buckets[0] === foreign) foreign = undefined;
        buckets.shift();
      }
      return held;
    },

    add(releaseAt, grainMs) {
      bucketFor(releaseAt, grainMs).count++;
      held++;
    },

    setForeign(count, releaseAt, grainMs) {
      if (foreign) {
        foreign.count -= foreign.foreign;
        held -= foreign.foreign;
        foreign.foreign = 0;
      }
      foreign = count === 0 ? undefined : bucketFor(releaseAt, grainMs);
      if (!foreign) return;
      foreign.foreign = count;
      foreign.count += count;
      held += count;
    },

    foreign: () => foreign?.foreign ?? 0,

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
  function bucketFor(releaseAt: number, grainMs: number): Bucket {
    const last = buckets.at(-1);
    if (last && releaseAt <= last.releaseAt) return last;
    const bucket = { releaseAt: releaseAt + grainMs, count: 0, foreign: 0 };
    buckets.push(bucket);
    return bucket;
  }
}

export interface Window {
  /** Calls that still count. */
  count(now: number): number;
  add(releaseAt: number, grainMs: number): void;
  /** Calls of others that the provider has told about; replaces what it told before. */
  setForeign(count: number, releaseAt: number, grainMs: number): void;
  foreign(): number;
  /** When the n-th (from 0) of the counted calls stops to count; `otherwise` where that is not known yet. */
  releaseAt(nth: number, otherwise: number): number;
}

interface Bucket {
  readonly releaseAt: number;
  count: number;
  /** How many of them are calls of others. */
  foreign: number;
}
