import { MAX_CUSTOMER_ID_LENGTH } from '../domain/customer.ts';
import { HOUR_MS, type UsageMeter, type UsageOwner, type UsageRow } from '../domain/usage.ts';
import type { Clock } from '../lib/clock.ts';
import { isStorable } from '../lib/text.ts';

/**
 * Counts usage in memory, by the hour, until it is taken to be stored. Bounded: of each application a number of
 * customers is counted by themselves, and further ones together, so that no application takes the place of another.
 */
export function createUsageCounts({ wall }: Pick<Clock, 'wall'>): UsageMeter & UsageCounter {
  /** The last one is of the current hour. */
  let hours: HourCounts[] = [];
  return {
    request(owner, { errors, cost }) {
      const counts = countsOf(owner, wall());
      counts.requests += 1;
      counts.errors += errors;
      counts.cost += Math.min(Math.ceil(cost), MAX_COST);
    },
    called(owner) {
      countsOf(owner, wall()).providerCalls += 1;
    },
    take() {
      const rows = hours.flatMap(takeRows);
      // Customers keep their places until the hour is over.
      hours = hours.slice(-1);
      return rows;
    },
    restore(rows) {
      for (const row of rows) {
        const counts = countsOf(row, row.hour);
        counts.requests += row.requests;
        counts.errors += row.errors;
        counts.providerCalls += row.providerCalls;
        counts.cost += row.cost;
      }
    },
  };

  function countsOf({ applicationId, customerId }: UsageOwner, at: number): Counts {
    const { applications } = openHour(at - (at % HOUR_MS));
    let application = applications.get(applicationId);
    if (!application) {
      application = { others: zero(), customers: new Map() };
      applications.set(applicationId, application);
    }
    const { others, customers } = application;
    if (!customerId) return others;
    const known = customers.get(customerId);
    if (known) return known;
    const share = Math.max(LEAST_CUSTOMERS, Math.floor(MAX_CUSTOMERS / applications.size));
    const isFull = customers.size >= Math.min(share, MAX_CUSTOMERS_OF_APPLICATION);
    if (isFull || !isCountable(customerId)) return others;
    const counts = zero();
    customers.set(customerId, counts);
    return counts;
  }

  /** While nothing can be stored, at most three hours are told apart. */
  function openHour(hour: number): HourCounts {
    const known = hours.find((one) => one.hour === hour) ?? (hours.length >= 3 && hours.at(-1));
    if (known) return known;
    const opened: HourCounts = { hour, applications: new Map() };
    hours = [...hours, opened].sort((one, other) => one.hour - other.hour);
    return opened;
  }
}

function takeRows({ hour, applications }: HourCounts): UsageRow[] {
  return [...applications].flatMap(([applicationId, { others, customers }]) =>
    [['', others] as const, ...customers].flatMap(([customerId, counts]) => {
      if (counts.requests === 0 && counts.providerCalls === 0) return [];
      const row = { applicationId, customerId, hour, ...counts };
      Object.assign(counts, zero());
      return [row];
    }),
  );
}

function isCountable(customerId: string): boolean {
  return customerId.length <= MAX_CUSTOMER_ID_LENGTH && isStorable(customerId);
}

function zero(): Counts {
  return { requests: 0, errors: 0, providerCalls: 0, cost: 0 };
}

/** Customers of one application that are counted by themselves in an hour, by each process. */
const MAX_CUSTOMERS_OF_APPLICATION = 1_000;
/** Customers of all applications, shared among those that are active; none has less than the least. */
const MAX_CUSTOMERS = 50_000;
const LEAST_CUSTOMERS = 50;
/** No request costs as much: a sum of counts stays an exact number. */
const MAX_COST = 1_000_000_000;

interface UsageCounter {
  /** Returns the counts since the last call. */
  take(): UsageRow[];
  /** Adds what was taken and could not be stored. */
  restore(rows: readonly UsageRow[]): void;
}

interface HourCounts {
  readonly hour: number;
  readonly applications: Map<string, ApplicationCounts>;
}

interface ApplicationCounts {
  /** Requests that concern no customer, several, or one that is not counted by itself. */
  readonly others: Counts;
  readonly customers: Map<string, Counts>;
}

type Counts = { -readonly [Name in Exclude<keyof UsageRow, keyof UsageOwner | 'hour'>]: number };
