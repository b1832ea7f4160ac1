import type { HttpRequest } from '../lib/http-message.ts';

/**
 * How many requests are worked on at once. One counts from when it has wholly arrived: who sends slowly takes nobody's
 * place.
 */
export function createGate({ max }: { readonly max: number }): Gate {
  let running = 0;
  let refused = 0;

  return {
    enter(request) {
      if (running >= max) {
        refused += 1;
        return undefined;
      }
      let isCounted = false;
      let isOver = false;
      request.whenWhole(() => {
        if (isOver) return;
        isCounted = true;
        running += 1;
      });
      return () => {
        isOver = true;
        if (isCounted) running -= 1;
      };
    },
    counts: () => ({ running, refused }),
  };
}

export interface Gate {
  /** Undefined where there is no room; else what is to be called, once, when the request is answered. */
  enter(request: Pick<HttpRequest, 'whenWhole'>): (() => void) | undefined;
  counts(): { readonly running: number; readonly refused: number };
}
