import type { WorkPermit } from '../../domain/work-permit.ts';
import type { Clock } from '../../lib/clock.ts';
import { AbandonedError, rateLimited } from '../failures.ts';

/** Calls that wait for the rate limiter, first in, first out. A call leaves with an error at its deadline. */
export function createWaitQueue(clock: Clock): WaitQueue {
  let queue: Waiter[] = [];
  let left = 0;

  return {
    get length() {
      return queue.length - left;
    },

    enqueue({ deadline, inFront, permit, retryAfterMs }) {
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          deadline,
          gone: false,
          call() {
            stopWaiting();
            resolve();
          },
          refuse(afterMs) {
            leave(rateLimited(afterMs));
          },
        };
        const leave = (error: Error) => {
          if (waiter.gone) return;
          waiter.gone = true;
          stopWaiting();
          forgetOne();
          reject(error);
        };
        const ends: ((() => void) | undefined)[] = [];
        const stopWaiting = () => {
          for (const end of ends.splice(0)) end?.();
        };
        if (inFront) queue.unshift(waiter);
        else queue.push(waiter);
        ends.push(
          clock.schedule(deadline - clock.now(), () => waiter.refuse(retryAfterMs())),
          permit?.whenGone(() => leave(new AbandonedError())),
        );
      });
    },

    dequeue() {
      for (let waiter = queue.shift(); waiter; waiter = queue.shift()) {
        if (!waiter.gone) {
          waiter.call();
          return;
        }
        left--;
      }
    },

    refuseBefore(moment, retryAfterMs) {
      for (const waiter of queue) if (!waiter.gone && waiter.deadline <= moment) waiter.refuse(retryAfterMs);
      tidy();
    },
  };

  /** Taking one out of the middle each time would cost the whole queue: they are taken out by halves. */
  function forgetOne(): void {
    left++;
    if (left * 2 > queue.length) tidy();
  }

  function tidy(): void {
    queue = queue.filter(({ gone }) => !gone);
    left = 0;
  }
}

interface WaitQueue {
  readonly length: number;
  /** Resolves when it is called; rejects with REMOTE_PROVIDER_RATE_LIMITED at its deadline. */
  enqueue(options: {
    readonly deadline: number;
    readonly inFront: boolean;
    readonly permit: Pick<WorkPermit, 'whenGone'> | undefined;
    retryAfterMs(): number;
  }): Promise<void>;
  dequeue(): void;
  /** Everybody who cannot wait until then learns it now. */
  refuseBefore(moment: number, retryAfterMs: number): void;
}

interface Waiter {
  readonly deadline: number;
  gone: boolean;
  call(): void;
  refuse(retryAfterMs: number): void;
}
