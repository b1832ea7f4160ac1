import type { WorkPermit } from '../../domain/work-permit.ts';
import type { Clock } from '../../lib/clock.ts';
import { AbandonedError, timedOut } from '../failures.ts';

/** Waits for shared work no longer than there is time, and somebody to wait for it. The work itself goes on. */
export function withDeadline<T>({ clock, deadline, permit }: Waiter, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(deadline - clock.now(), () => reject(timedOut('crossbook')));
    const forget = permit.whenGone(() => reject(new AbandonedError()));
    work.then(resolve, reject).finally(() => {
      cancel();
      forget();
    });
  });
}

interface Waiter {
  readonly clock: Clock;
  readonly deadline: number;
  readonly permit: Pick<WorkPermit, 'whenGone'>;
}
