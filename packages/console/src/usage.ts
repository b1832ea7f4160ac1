import type { UsageHour } from './types.ts';

/** Adds up tallies by name. */
export function sumTallies(hours: readonly UsageHour[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { tallies } of hours)
    for (const [name, count] of Object.entries(tallies ?? {}))
      sums.set(name, (sums.get(name) ?? 0) + count);
  return sums;
}

/** The beginning of a period. The last hour is that of the last sixty minutes. */
export function toPeriod(period: string, now = performance.timeOrigin + performance.now()) {
  const hours = PERIODS[period] ?? 24;
  const start =
    Math.floor(now / HOUR_MS) * HOUR_MS - (hours - (period === 'hour' ? 0 : 1)) * HOUR_MS;
  return { since: new Date(start).toISOString() };
}

/** Counts over time: by the minute for the last hour, otherwise by the hour. Times without requests are zero. */
export function toPoints(
  hours: readonly UsageHour[],
  period: string,
  now = performance.timeOrigin + performance.now(),
): Points {
  return period === 'hour' ? toMinutes(hours, now) : toHours(hours, period, now);
}

function toMinutes(hours: readonly UsageHour[], now: number): Points {
  const last = Math.floor(now / MINUTE_MS) * MINUTE_MS;
  const times = Array.from({ length: 60 }, (_, index) => last - (59 - index) * MINUTE_MS);
  const byHour = groupByHour(hours);
  const read = (kind: string) =>
    times.map((time) => {
      const sums = byHour.get(Math.floor(time / HOUR_MS) * HOUR_MS);
      return sums?.get(`${kind} ${(time % HOUR_MS) / MINUTE_MS}`) ?? 0;
    });
  return toSeries(times, read);
}

function toHours(hours: readonly UsageHour[], period: string, now: number): Points {
  const last = Math.floor(now / HOUR_MS) * HOUR_MS;
  const length = PERIODS[period] ?? 24;
  const times = Array.from({ length }, (_, index) => last - (length - 1 - index) * HOUR_MS);
  const byHour = groupByHour(hours);
  return toSeries(times, (kind) => times.map((time) => byHour.get(time)?.get(kind) ?? 0));
}

function toSeries(times: readonly number[], read: (kind: string) => readonly number[]): Points {
  return {
    times: times.map((time) => time / 1_000),
    requests: read('requests'),
    errors: read('errors'),
    calls: read('calls'),
  };
}

function groupByHour(
  hours: readonly UsageHour[],
): ReadonlyMap<number, ReadonlyMap<string, number>> {
  const groups = new Map<number, UsageHour[]>();
  for (const one of hours) {
    const hour = Date.parse(one.hour);
    groups.set(hour, [...(groups.get(hour) ?? []), one]);
  }
  return new Map([...groups].map(([hour, own]) => [hour, sumTallies(own)]));
}

/** The bound of the bucket that holds the median, and of the one that holds the 95th percentile. */
export function toLatencies(sums: ReadonlyMap<string, number>): {
  readonly median: string;
  /** Undefined: there were no requests. */
  readonly slow: string | undefined;
} {
  const buckets = [...sums]
    .filter(([name]) => name.startsWith('ms '))
    .map(([name, count]) => [Number(name.slice(3)), count] as const)
    .sort(([one], [other]) => one - other);
  const total = buckets.reduce((sum, [, count]) => sum + count, 0);
  const find = (share: number) => {
    let seen = 0;
    for (const [bound, count] of buckets) {
      seen += count;
      if (seen >= total * share) return toMs(bound);
    }
    return '–';
  };
  return total === 0
    ? { median: '–', slow: undefined }
    : { median: `≤ ${find(0.5)}`, slow: find(0.95) };
}

function toMs(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const PERIODS: Readonly<Record<string, number>> = { hour: 1, day: 24, week: 168 };

interface Points {
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly requests: readonly number[];
  readonly errors: readonly number[];
  readonly calls: readonly number[];
}

/** The tallies of this kind, the highest first. */
export function pick(
  sums: ReadonlyMap<string, number>,
  kind: string,
): readonly (readonly [name: string, count: number])[] {
  const prefix = `${kind} `;
  return [...sums]
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, count]) => [name.slice(prefix.length), count] as const)
    .sort(([, one], [, other]) => other - one);
}
