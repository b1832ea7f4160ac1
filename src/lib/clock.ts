/** Time is passed in: what waits for seconds in production is moved by hand in tests. */
export interface Clock {
  /** Milliseconds of a monotonic clock: for durations. It never steps, and means nothing to another process. */
  now(): number;
  /** Milliseconds since 1970, which may step either way: only for what is stored, or told to somebody else. */
  wall(): number;
  /** Calls back once, after the delay; the answer calls it off. */
  schedule(delayMs: number, callback: () => void): () => void;
}

/** A longer delay would overflow the timer and fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  schedule(delayMs, callback) {
    const timer = startTimer(delayMs, callback);
    return () => clearTimeout(timer);
  },
};

/** Its timers keep no process alive. */
export const backgroundClock: Clock = {
  ...systemClock,
  schedule(delayMs, callback) {
    const timer = startTimer(delayMs, callback).unref();
    return () => clearTimeout(timer);
  },
};

function startTimer(delayMs: number, callback: () => void): NodeJS.Timeout {
  return setTimeout(callback, Math.min(Math.max(delayMs, 0), LONGEST_DELAY_MS));
}
