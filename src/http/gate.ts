/**
 * How many requests are worked on at once. One counts from when it has wholly arrived: who sends slowly takes nobody's
 * place.
 */
export function createGate({ max }: { readonly max: number }): Gate {
  let running = 0;
  let refused = 0;

  return {
    pass(work, arrived) {
      if (running < max) return hold(work, arrived);
      refused += 1;
      return undefined;
    },
    counts: () => ({ running, refused }),
  };

  async function hold<T>(work: () => Promise<T> | T, arrived: Promise<unknown> | undefined): Promise<T> {
    let state: 'arriving' | 'counted' | 'over' = 'arriving';
    const count = () => {
      if (state !== 'arriving') return;
      state = 'counted';
      running += 1;
    };
    if (arrived) void arrived.then(count);
    else count();
    try {
      return await work();
    } finally {
      if ((state as string) === 'counted') running -= 1;
      state = 'over';
    }
  }
}

export interface Gate {
  /** Undefined, and nothing is done, where there is no room. `arrived`: when the body is here, where there is one. */
  pass<T>(work: () => Promise<T> | T, arrived: Promise<unknown> | undefined): Promise<T> | undefined;
  counts(): { readonly running: number; readonly refused: number };
}
