import type { Clock } from './clock.ts';

/**
 * Rejects where the work takes longer than its limit, by time in which this process was there to see it: as long as it was
 * held or stopped itself is given on top, because what has come meanwhile is read only after the timers.
 */
export function withLimit<T>(work: Promise<T>, { limitMs, clock }: Limit): Promise<T> {
  const began = clock.now();
  return new Promise((resolve, reject) => {
    let cancel = clock.schedule(limitMs, () => {
      const lateMs = clock.now() - began - limitMs;
      const end = () => reject(new Error('timeout expired'));
      cancel = clock.schedule(Math.min(lateMs, limitMs) + GRACE_MS, end);
    });
    const settled = () => cancel();
    work.then(resolve, reject).finally(settled);
  });
}

const GRACE_MS = 50;

interface Limit {
  readonly limitMs: number;
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
}
