import type { LoadRequest } from '../load/main.ts';
import type { CustomerRequests } from './customers.ts';

/** What docs/performance.md assumes of a customer and a day. */
export const DAY_OF_CUSTOMER: DayOfCustomer = {
  requests: { searchOfMany: 15, cachedSearch: 5, read: 10, upsert: 2 },
  deliveries: 3,
  syncRuns: 5,
  syncedRows: 10,
  events: 3,
  peakFactor: 4,
};

/** Requests in the proportions of the day, in rotation. */
export function toRotation(all: CustomerRequests): readonly LoadRequest[] {
  const counts = Object.entries(DAY_OF_CUSTOMER.requests) as [
    keyof DayOfCustomer['requests'],
    number,
  ][];
  return Array.from({ length: ROTATIONS }, (_, turn) =>
    counts.flatMap(([name, count]) =>
      Array.from({ length: count }, (_, index) => pick(all[name], turn * count + index)),
    ),
  ).flat();
}

function pick<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}

const ROTATIONS = 100;

export interface DayOfCustomer {
  readonly requests: Readonly<Record<'searchOfMany' | 'cachedSearch' | 'read' | 'upsert', number>>;
  readonly deliveries: number;
  /** Runs of syncs, most of which find nothing new. */
  readonly syncRuns: number;
  /** Rows that syncs write. */
  readonly syncedRows: number;
  readonly events: number;
  /** Requests and deliveries in the busiest hour, compared with the average. Syncs are spread over the day. */
  readonly peakFactor: number;
}
