import type { WorkPermit } from '../../domain/resources.ts';
import type { Clock } from '../../lib/clock.ts';
import { rateLimited } from '../failures.ts';
import { failWhenOver } from '../waiting.ts';

/** Calls that wait for the rate limiter, first in, first out. A call leaves with an error at its deadline. */
export function createWaitQueue(clock: Clock) {
  let queue = new Set<Waiter>();

  return {
    get length() {
      return queue.size;
    },

    /** Resolves when it is called; rejects with REMOTE_PROVIDER_RATE_LIMITED at its deadline. */
    enqueue({ deadline, inFront, permit, retryAfterMs }: Enqueued): Promise<void> {
      return new Promise((resolve, reject) => {
        let stopWaiting: (() => void) | undefined;
        const leave = () => {
          queue.delete(waiter);
          stopWaiting?.();
        };
        const waiter: Waiter = {
          deadline,
          call() {
            leave();
            resolve();
          },
          refuse(error) {
            leave();
            reject(error);
          },
        };
        if (inFront) queue = new Set([waiter, ...queue]);
        else queue.add(waiter);
        stopWaiting = failWhenOver(
          { clock, deadline, permit, late: () => rateLimited(retryAfterMs()) },
          waiter.refuse,
        );
      });
    },

    dequeue(): void {
      const [first] = queue;
      first?.call();
    },

    /** Everybody who cannot wait until then learns it now. */
    refuseBefore(moment: number, retryAfterMs: number): void {
      for (const waiter of queue) if (waiter.deadline <= moment) waiter.refuse(rateLimited(retryAfterMs));
    },
  };
}

interface Enqueued {
  readonly deadline: number;
  readonly inFront: boolean;
  readonly permit: Pick<WorkPermit, 'whenGone'> | undefined;
  retryAfterMs(): number;
}

interface Waiter {
  readonly deadline: number;
  call(): void;
  refuse(error: Error): void;
}
