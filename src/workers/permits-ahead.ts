import type { PermitRequest } from '../domain/distributed-rate-limits.ts';
import type { Clock } from '../lib/clock.ts';

/**
 * Permits of provider calls that the supervisor has granted to this worker in advance. A worker that calls a provider
 * often requests more of them each time, and returns those that it has not used a second later.
 */
export function createPermitsAhead({ clock, returnUnused }: PermitsAheadOptions) {
  const held = new Map<string, HeldPermits>();

  return {
    take({ name, leaseMs }: PermitRequest): string | undefined {
      const known = held.get(name);
      if (!known || clock.now() + leaseMs > known.leasedUntil) return undefined;
      return known.permitIds.pop();
    },

    /** The request, with a number of permits in advance, and leases that outlast the time they are held. */
    extend(request: PermitRequest): PermitsRequest {
      const known = held.get(request.name);
      const ahead = known ? Math.min(2 * known.ahead + 1, MAX_AHEAD) : 0;
      return { ...request, leaseMs: request.leaseMs + HELD_MS, ahead };
    },

    /** `at`: when they were requested. */
    add({ name, leaseMs, ahead }: PermitsRequest, permitIds: readonly string[], at: number): void {
      const known = held.get(name);
      known?.cancelReturn();
      const all = [...(known?.permitIds ?? []), ...permitIds];
      held.set(name, {
        ahead,
        permitIds: all,
        leasedUntil: Math.min(at + leaseMs, known?.permitIds.length ? known.leasedUntil : Infinity),
        cancelReturn: clock.schedule(HELD_MS, () => {
          held.delete(name);
          if (all.length > 0) returnUnused(name, all);
        }),
      });
    },
  };
}

const HELD_MS = 1_000;
const MAX_AHEAD = 16;

export interface PermitsRequest extends PermitRequest {
  /** How many more permits the worker could use. */
  readonly ahead: number;
}

interface HeldPermits {
  /** How many were requested the last time. */
  readonly ahead: number;
  readonly permitIds: string[];
  /** When the first of their leases ends. */
  readonly leasedUntil: number;
  cancelReturn(): void;
}

interface PermitsAheadOptions {
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
  /** Returns permits that were not used. */
  returnUnused(name: string, permitIds: readonly string[]): void;
}
