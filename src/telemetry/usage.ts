import { MAX_CUSTOMER_ID_LENGTH } from '../domain/customer.ts';
import {
  HOUR_MS,
  LATENCY_BOUNDS_MS,
  MAX_RECENT_ERRORS,
  type RecentError,
  type RequestFacts,
  type UsageCounts,
  type UsageMeter,
  type UsageOwner,
  type UsageRow,
} from '../domain/usage.ts';
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
    request(owner, { errors, cost }, facts) {
      const at = wall();
      const counts = countsOf(owner, at);
      counts.requests += 1;
      counts.errors += errors;
      counts.cost += Math.min(Math.ceil(cost), MAX_COST);
      const { totals } = applicationOf(owner.applicationId, at);
      const minute = Math.floor((at % HOUR_MS) / MINUTE_MS);
      add(totals, 'requests', 1);
      add(totals, REQUESTS_OF_MINUTE[minute], 1);
      if (errors > 0) {
        add(totals, 'errors', errors);
        add(totals, ERRORS_OF_MINUTE[minute], errors);
      }
      if (!facts) return;
      const latency = toLatency(facts.ms);
      add(totals, latency, 1);
      add(counts.tallies, latency, 1);
      if (facts.errors.length > 0) noteErrors(counts, totals, facts, at);
    },
    called(owner, call) {
      const at = wall();
      const counts = countsOf(owner, at);
      counts.providerCalls += 1;
      const { totals } = applicationOf(owner.applicationId, at);
      add(totals, 'calls', 1);
      add(totals, CALLS_OF_MINUTE[Math.floor((at % HOUR_MS) / MINUTE_MS)], 1);
      if (!call) return;
      for (const tallies of [counts.tallies, totals]) {
        add(tallies, `calls ${call.provider}`, 1);
        if (call.waitedMs > 0) add(tallies, `wait ${call.provider}`, Math.ceil(call.waitedMs));
        if (call.status === 429 || call.outcome === 'REMOTE_PROVIDER_RATE_LIMITED')
          add(tallies, `limited ${call.provider}`, 1);
        if (call.outcome !== 'answered' || (call.status ?? 0) >= 400)
          add(tallies, `failed ${call.provider}`, 1);
      }
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
        const tallies =
          row.customerId === ''
            ? applicationOf(row.applicationId, row.hour).totals
            : counts.tallies;
        for (const [name, count] of Object.entries(row.tallies ?? {})) add(tallies, name, count);
        counts.recent = [...(row.recent ?? []), ...counts.recent].slice(-MAX_RECENT_ERRORS);
      }
    },
  };

  function applicationOf(applicationId: string, at: number): ApplicationCounts {
    const { applications } = openHour(at - (at % HOUR_MS));
    let application = applications.get(applicationId);
    if (!application) {
      application = { others: zero(), customers: new Map(), totals: new Map() };
      applications.set(applicationId, application);
    }
    return application;
  }

  function countsOf({ applicationId, customerId }: UsageOwner, at: number): Counts {
    const { others, customers } = applicationOf(applicationId, at);
    if (!customerId) return others;
    const known = customers.get(customerId);
    if (known) return known;
    const share = Math.max(
      LEAST_CUSTOMERS,
      Math.floor(MAX_CUSTOMERS / openHour(at - (at % HOUR_MS)).applications.size),
    );
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
  return [...applications].flatMap(([applicationId, { others, customers, totals }]) =>
    [['', others] as const, ...customers].flatMap(([customerId, counts]) => {
      const tallies = customerId === '' ? totals : counts.tallies;
      if (counts.requests === 0 && counts.providerCalls === 0 && tallies.size === 0) return [];
      const row = {
        applicationId,
        customerId,
        hour,
        ...counts,
        tallies: Object.fromEntries(tallies),
      };
      tallies.clear();
      Object.assign(counts, { requests: 0, errors: 0, providerCalls: 0, cost: 0, recent: [] });
      return [row];
    }),
  );
}

function add(tallies: Map<string, number>, name = '', count: number): void {
  tallies.set(name, (tallies.get(name) ?? 0) + count);
}

function noteErrors(
  counts: Counts,
  totals: Map<string, number>,
  { errors, providers, requestId }: RequestFacts,
  at: number,
): void {
  const [provider = null] = providers;
  for (const { id, code } of errors.slice(0, MAX_RECENT_ERRORS)) {
    for (const tallies of [counts.tallies, totals]) add(tallies, `error ${code}`, 1);
    const recent = { id, code, at: new Date(at).toISOString(), provider, requestId };
    counts.recent = [...counts.recent, recent].slice(-MAX_RECENT_ERRORS);
  }
}

function toLatency(ms: number): string {
  for (const [index, bound] of LATENCY_BOUNDS_MS.entries())
    if (ms <= bound) return LATENCIES[index] ?? LONGEST;
  return LONGEST;
}

const LATENCIES = LATENCY_BOUNDS_MS.map((bound) => `ms ${bound}`);
const LONGEST = LATENCIES.at(-1) ?? '';
const MINUTE_MS = 60_000;
const namesOfMinutes = (of: string) => Array.from({ length: 60 }, (_, minute) => `${of} ${minute}`);
const REQUESTS_OF_MINUTE = namesOfMinutes('requests');
const ERRORS_OF_MINUTE = namesOfMinutes('errors');
const CALLS_OF_MINUTE = namesOfMinutes('calls');

function isCountable(customerId: string): boolean {
  return customerId.length <= MAX_CUSTOMER_ID_LENGTH && isStorable(customerId);
}

function zero(): Counts {
  return { requests: 0, errors: 0, providerCalls: 0, cost: 0, tallies: new Map(), recent: [] };
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
  /** Tallies of all its requests. */
  readonly totals: Map<string, number>;
}

type Counts = { -readonly [Name in keyof UsageCounts]: number } & {
  readonly tallies: Map<string, number>;
  recent: readonly RecentError[];
};
