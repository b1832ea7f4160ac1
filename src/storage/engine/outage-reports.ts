import type { Clock } from '../../lib/clock.ts';
import { isAway } from './failures.ts';

/** Says why the database cannot answer (a full disk, a server that is gone), once a minute for each reason. */
export function createOutageReports(
  onOutage: OnOutage,
  { now }: Pick<Clock, 'now'>,
): (error: unknown) => never {
  const reported = new Map<string, number>();
  return (error) => {
    if (isAway(error) && error instanceof Error && error.cause instanceof Error) {
      const { cause } = error;
      const code = 'code' in cause ? String(cause.code) : '';
      const last = reported.get(code) ?? Number.NEGATIVE_INFINITY;
      if (now() - last >= EVERY_MS) {
        reported.set(code, now());
        // Errors of these classes are about the server: they quote neither parameters nor rows.
        onOutage({ code, reason: cause.message });
      }
    }
    throw error;
  };
}

const EVERY_MS = 60_000;

export type OnOutage = (outage: { readonly code: string; readonly reason: string }) => void;
