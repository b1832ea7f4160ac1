/**
 * Long work takes turns: between two pieces of it the event loop sees to everybody else, however many requests have such
 * work at the same time. A turn of the loop does pieces until it has been at it for a while; what comes then waits for a
 * turn of its own, in the order in which it came.
 */
export function createTurns({ now, defer = setImmediate, mostMs = 20 }: TurnsOptions): Turns {
  const waiting: (() => void)[] = [];
  let began: number | undefined;

  return {
    take() {
      if (began === undefined) {
        began = now();
        defer(next);
        return undefined;
      }
      if (waiting.length === 0 && now() - began < mostMs) return undefined;
      return new Promise((resolve) => {
        waiting.push(resolve);
      });
    },
  };

  /** In the next turn of the loop. */
  function next(): void {
    const resume = waiting.shift();
    began = resume && now();
    if (!resume) return;
    defer(next);
    resume();
  }
}

export interface Turns {
  /** Before a piece of long work. Undefined: at once. A promise: later. */
  take(): Promise<void> | undefined;
}

interface TurnsOptions {
  /** Monotonic, in milliseconds. */
  now(): number;
  /** Calls back in the next turn of the event loop. */
  readonly defer?: ((callback: () => void) => unknown) | undefined;
  /** How long the pieces of one turn may take together, before the last of them has begun. */
  readonly mostMs?: number | undefined;
}
