/** At most `max` calls in any period of `windowMs` (rolling window). Rejected calls do not count. */
export function createRollingWindow({ max, windowMs }: { max: number; windowMs: number }): Meter {
  let taken: number[] = [];
  // The number of expired entries. They are removed in bulk, so that a call costs the same at a high limit.
  let over = 0;
  const used = (now: number): number => {
    while (over < taken.length && (taken[over] ?? now) <= now - windowMs) over += 1;
    if (over > 1_000 && over * 2 > taken.length) {
      taken = taken.slice(over);
      over = 0;
    }
    return taken.length - over;
  };
  return {
    used,
    take(now) {
      if (used(now) >= max) return false;
      taken.push(now);
      return true;
    },
  };
}

/** At most `max` calls between one midnight (UTC) and the next. */
export function createDailyMeter({ max }: { max: number }): Meter {
  let day = 0;
  let count = 0;
  const turn = (now: number): void => {
    if (Math.floor(now / DAY_MS) !== day) count = 0;
    day = Math.floor(now / DAY_MS);
  };
  return {
    take(now) {
      turn(now);
      if (count >= max) return false;
      count += 1;
      return true;
    },
    used(now) {
      turn(now);
      return count;
    },
  };
}

export interface Meter {
  /** Whether one more call is allowed now; if so, it is counted. */
  take(now: number): boolean;
  used(now: number): number;
}

const DAY_MS = 86_400_000;
