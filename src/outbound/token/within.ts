import type { Clock } from '../clock.ts';
import { timedOut } from '../failures.ts';

/** Waits for shared work no longer than the one who waits has time. The work itself goes on. */
export function within<T>(clock: Clock, deadline: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.schedule(deadline - clock.now(), () => reject(timedOut()));
    work.then(resolve, reject).finally(cancel);
  });
}
