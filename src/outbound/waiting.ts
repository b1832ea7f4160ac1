import { CrossbookError } from '../domain/errors.ts';
import type { WorkPermit } from '../domain/resources.ts';
import type { Clock } from '../lib/clock.ts';
import { AbandonedError, timedOut } from './failures.ts';
import type { OutboundSettings } from './outbound.ts';

/**
 * How many operations wait for providers: in all, for each application and for each connection. Waiting takes no place
 * among the requests at work, so that it needs a bound of its own.
 */
export function createWaiting({ maxWaiting, maxWaitingPerConnection }: WaitingBounds) {
  const applications = new Map<string, number>();
  let total = 0;
  let refused = 0;

  return {
    /** Throws where too many wait. Else `leave` has to follow, once. */
    enter(applicationId: string, connection: WaitingFor): void {
      const ofApplication = applications.get(applicationId) ?? 0;
      if (connection.waiting >= maxWaitingPerConnection) {
        refused++;
        throw connectionFull();
      }
      if (total >= maxWaiting || ofApplication >= shareOf(ofApplication)) {
        refused++;
        throw processFull();
      }
      total++;
      connection.waiting++;
      applications.set(applicationId, ofApplication + 1);
    },

    leave(applicationId: string, connection: WaitingFor): void {
      total--;
      connection.waiting--;
      const left = (applications.get(applicationId) ?? 1) - 1;
      if (left > 0) applications.set(applicationId, left);
      else applications.delete(applicationId);
    },

    counts: (): WaitingCounts => ({ waiting: total, refused }),
  };

  /** While half of the places are free an application may have nearly all, and then an equal part. */
  function shareOf(ofApplication: number): number {
    const others = applications.size - (ofApplication > 0 ? 1 : 0);
    return total < maxWaiting / 2 ? maxWaiting : Math.floor((maxWaiting * MOST) / (others + 1));
  }
}

function connectionFull(): CrossbookError {
  return new CrossbookError(
    'REMOTE_PROVIDER_RATE_LIMITED',
    'As many requests as possible wait for this connection’s provider: try again.',
    { retryAfterMs: RETRY_AFTER_MS },
  );
}

function processFull(): CrossbookError {
  return new CrossbookError(
    'SERVICE_UNAVAILABLE',
    'As many requests as possible wait for providers: try again.',
    { retryAfterMs: RETRY_AFTER_MS },
  );
}

const RETRY_AFTER_MS = 1_000;
/** Of all places, for one application: the rest is left for the next one. */
const MOST = 0.9;

export type Waiting = ReturnType<typeof createWaiting>;

/** Kept with the connection's state. */
export interface WaitingFor {
  /** How many operations wait for its provider. */
  waiting: number;
}

export interface WaitingCounts {
  readonly waiting: number;
  readonly refused: number;
}

type WaitingBounds = Pick<OutboundSettings, 'maxWaiting' | 'maxWaitingPerConnection'>;

/** Waits for shared work until the deadline, or until the client is gone. The work itself goes on. */
export function withDeadline<T>(wait: Wait, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = failWhenOver(wait, reject);
    work.then(resolve, reject).finally(stop);
  });
}

/** Calls `fail` once, at the deadline or when the client is gone. The returned function calls it off. */
export function failWhenOver(
  { clock, deadline, permit, late = () => timedOut('crossbook') }: Wait,
  fail: (error: Error) => void,
): () => void {
  let forget: (() => void) | undefined;
  const cancel = clock.schedule(deadline - clock.now(), () => {
    forget?.();
    fail(late());
  });
  forget = permit?.whenGone(() => {
    cancel();
    fail(new AbandonedError());
  });
  return () => {
    cancel();
    forget?.();
  };
}

interface Wait {
  readonly clock: Clock;
  readonly deadline: number;
  readonly permit?: Pick<WorkPermit, 'whenGone'> | undefined;
  /** The error at the deadline. Absent: that no call was made in time. */
  readonly late?: (() => Error) | undefined;
}
