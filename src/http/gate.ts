import type { HttpRequest } from '../lib/http-message.ts';

/**
 * How many requests are worked on at once. One counts from when it has wholly arrived: who sends slowly takes nobody's
 * place.
 */
export function createGate({ max }: { readonly max: number }): Gate {
  let running = 0;
  let refused = 0;

  return {
    pass(request, work) {
      if (running < max) return hold(request, work);
      refused += 1;
      return undefined;
    },
    counts: () => ({ running, refused }),
  };

  async function hold<T>(request: Arriving, work: () => Promise<T> | T): Promise<T> {
    let state: 'arriving' | 'counted' | 'over' = 'arriving';
    request.whenWhole(() => {
      if (state !== 'arriving') return;
      state = 'counted';
      running += 1;
    });
    try {
      return await work();
    } finally {
      if ((state as string) === 'counted') running -= 1;
      state = 'over';
    }
  }
}

type Arriving = Pick<HttpRequest, 'whenWhole'>;

export interface Gate {
  /** Undefined, and nothing is done, where there is no room. */
  pass<T>(request: Arriving, work: () => Promise<T> | T): Promise<T> | undefined;
  counts(): { readonly running: number; readonly refused: number };
}
