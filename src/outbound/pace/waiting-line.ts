import type { WorkPermit } from '../../domain/work-permit.ts';
import type { Clock } from '../../lib/clock.ts';
import { AbandonedError, rateLimited } from '../failures.ts';

/** Who waits, first come first served. Whoever's deadline comes first is told so and leaves. */
export function createWaitingLine(clock: Clock): WaitingLine {
  let line: Waiter[] = [];
  let left = 0;

  return {
    get length() {
      return line.length - left;
    },

    join({ deadline, inFront, permit, retryAfterMs }) {
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
        if (inFront) line.unshift(waiter);
        else line.push(waiter);
        ends.push(
          clock.schedule(deadline - clock.now(), () => waiter.refuse(retryAfterMs())),
          permit?.whenGone(() => leave(new AbandonedError())),
        );
      });
    },

    callNext() {
      for (let waiter = line.shift(); waiter; waiter = line.shift()) {
        if (!waiter.gone) {
          waiter.call();
          return;
        }
        left--;
      }
    },

    refuseBefore(moment, retryAfterMs) {
      for (const waiter of line) if (!waiter.gone && waiter.deadline <= moment) waiter.refuse(retryAfterMs);
      tidy();
    },
  };

  /** Taking one out of the middle each time would cost the whole line: they are taken out by halves. */
  function forgetOne(): void {
    left++;
    if (left * 2 > line.length) tidy();
  }

  function tidy(): void {
    line = line.filter(({ gone }) => !gone);
    left = 0;
  }
}

export interface WaitingLine {
  readonly length: number;
  /** Resolves when it is called; rejects with REMOTE_PROVIDER_RATE_LIMITED at its deadline. */
  join(options: {
    readonly deadline: number;
    readonly inFront: boolean;
    readonly permit: Pick<WorkPermit, 'whenGone'> | undefined;
    retryAfterMs(): number;
  }): Promise<void>;
  callNext(): void;
  /** Everybody who cannot wait until then learns it now. */
  refuseBefore(moment: number, retryAfterMs: number): void;
}

interface Waiter {
  readonly deadline: number;
  gone: boolean;
  call(): void;
  refuse(retryAfterMs: number): void;
}
