/** At most `max` in any stretch of `windowMs`. What is refused does not count. */
export function createRollingWindow({ max, windowMs }: { max: number; windowMs: number }): Meter {
  let taken: number[] = [];
  return {
    take(now) {
      taken = taken.filter((at) => at > now - windowMs);
      if (taken.length >= max) return false;
      taken.push(now);
      return true;
    },
    used: (now) => taken.filter((at) => at > now - windowMs).length,
  };
}

/** At most `max` between one midnight (UTC) and the next. */
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
  /** Whether one more is allowed now; it is then counted. */
  take(now: number): boolean;
  used(now: number): number;
}

const DAY_MS = 86_400_000;
