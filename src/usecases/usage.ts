import type { Application } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import {
  HOUR_MS,
  type UsageCounts,
  type UsageRange,
  type UsageRow,
  type UsageStore,
} from '../domain/usage.ts';
import { isRfc3339 } from '../lib/text.ts';
import { type ApplicationAdmin, findApplication } from './manage-applications.ts';

/**
 * Stores what was counted since the last time, in statements of some hundred rows. While the database is unavailable
 * the counts are kept for the next time; rows that it refuses are dropped, so that they do not hold up the others.
 */
export async function storeUsage({ usage, store }: StoreUsageDeps): Promise<void> {
  const rows = usage.take();
  const refused: unknown[] = [];
  while (rows.length > 0) {
    const batch = rows.splice(0, ROWS);
    try {
      await store.add(batch);
    } catch (error) {
      if (error instanceof CrossbookError && error.code === 'SERVICE_UNAVAILABLE') {
        usage.restore([...batch, ...rows]);
        throw error;
      }
      refused.push(error);
    }
  }
  if (refused.length > 0) throw refused[0];
}

const ROWS = 500;

/** Sums up each application, those with the most requests first. */
export async function readUsageByApplication(deps: ReadUsageDeps, query: UsageQuery) {
  const range = readRange(deps, query);
  const rows = await deps.usage.byApplication({ ...range, limit: readLimit(query.first) });
  return {
    ...toPeriod(range),
    applications: rows.map(({ applicationId: id, ...row }) => ({ id, ...row })),
  };
}

/**
 * Sums up each customer of an application, those with the most requests first. Null stands for requests that concern
 * no customer or several, and for customers that were deleted or are not counted by themselves.
 */
export async function readUsageByCustomer(
  deps: ReadUsageDeps,
  { application: text, ...query }: UsageQuery & OfApplication,
) {
  const range = readRange(deps, query);
  const application = await findApplication(deps, text);
  const limit = readLimit(query.first);
  const rows = await deps.usage.byCustomer({ ...range, applicationId: application.id, limit });
  return {
    ...toPeriod(range),
    application,
    customers: rows.map((row) => ({ ...row, customerId: row.customerId || null })),
  };
}

/** Sums up each hour of an application, or of one customer of it. Hours without requests are left out. */
export async function readUsageByHour(
  deps: ReadUsageDeps,
  {
    application: text,
    customerId,
    ...query
  }: UsageQuery & OfApplication & { readonly customerId?: string | undefined },
): Promise<Period & { readonly application: Application; readonly hours: readonly HourUsage[] }> {
  const range = readRange(deps, query);
  const application = await findApplication(deps, text);
  const rows = await deps.usage.byHour({ ...range, applicationId: application.id, customerId });
  return {
    ...toPeriod(range),
    application,
    hours: rows.map(({ hour, ...counts }) => ({ hour: hour.toISOString(), ...counts })),
  };
}

/** Default: the last 24 hours, and the current one. */
export function readRange(
  { now }: Pick<ReadUsageDeps, 'now'>,
  { since, until }: UsageQuery,
): UsageRange {
  const hour = Math.floor(now() / HOUR_MS) * HOUR_MS;
  const end = until === undefined ? hour + HOUR_MS : readMoment(until, 'until');
  const start =
    since === undefined ? Math.min(hour, end) - 24 * HOUR_MS : readMoment(since, 'since');
  if (start < end) return { since: new Date(start), until: new Date(end) };
  throw new CrossbookError('BAD_REQUEST', 'The period is empty: since must be before until.');
}

function readMoment(text: string, name: string): number {
  if (isRfc3339(text)) return Date.parse(text);
  throw new CrossbookError(
    'BAD_REQUEST',
    `${name} is not an RFC 3339 time, such as 2026-01-31T00:00:00Z.`,
  );
}

function readLimit(first = DEFAULT_ROWS): number {
  if (Number.isInteger(first) && first >= 1 && first <= MAX_ROWS) return first;
  throw new CrossbookError('BAD_REQUEST', `The number of rows must be from 1 to ${MAX_ROWS}.`);
}

export const DEFAULT_ROWS = 100;
export const MAX_ROWS = 1_000;

export function toPeriod({ since, until }: UsageRange): Period {
  return { since: since.toISOString(), until: until.toISOString() };
}

interface Period {
  readonly since: string;
  readonly until: string;
}

interface HourUsage extends UsageCounts {
  readonly hour: string;
}

export interface UsageQuery {
  /** RFC 3339. Hours that begin from then on, and before `until`. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly first?: number | undefined;
}

interface OfApplication {
  /** Id or name. */
  readonly application: string;
}

export interface ReadUsageDeps extends Pick<ApplicationAdmin, 'listApplications'> {
  readonly usage: Omit<UsageStore, 'add'>;
  /** Wall-clock time. */
  now(): number;
}

interface StoreUsageDeps {
  readonly usage: { take(): UsageRow[]; restore(rows: readonly UsageRow[]): void };
  readonly store: Pick<UsageStore, 'add'>;
}
