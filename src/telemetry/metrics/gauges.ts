import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import type { WebhookCounts } from '../../domain/event.ts';
import type { ApiSupport } from '../../domain/provider.ts';
import type { ProviderName } from '../../domain/provider-names.ts';
import type { SyncCounts } from '../../domain/sync.ts';

/** Gauges that read the state of other folders when they are scraped. */
export function registerGauges(
  { registry }: { readonly registry: Registry },
  sources: GaugeSources,
): void {
  const { requests, unread, clients, providers, webhooks } = sources;
  const gauge = createGauges(registry);
  gauge(
    'crossbook_requests_running',
    ['caller'],
    'Requests in progress, by kind of caller.',
    () => {
      const { running, unauthenticated } = requests();
      return [
        [running - unauthenticated, 'known'],
        [unauthenticated, 'none'],
      ];
    },
  );
  gauge('crossbook_requests_queued', [], 'Requests in the queue.', () => requests().queued);
  gauge(
    'crossbook_requests_turned_away_total',
    ['reason'],
    'Requests refused because the queue was full, or because they waited too long.',
    () => {
      const { queueFull, queueTimeout } = requests().refused;
      return [
        [queueFull, 'queue_full'],
        [queueTimeout, 'queue_timeout'],
      ];
    },
  );
  gauge(
    'crossbook_heavy_requests',
    ['state'],
    'Heavy requests in progress, and requests that wait for a heavy place.',
    () => {
      const { taken, waiting } = requests().heavy;
      return [
        [taken, 'running'],
        [waiting, 'waiting'],
      ];
    },
  );
  gauge(
    'crossbook_unread_bytes',
    [],
    'Bytes of responses that clients have not read yet.',
    () => unread().held,
  );
  gauge(
    'crossbook_unread_bytes_max',
    [],
    'Limit of the bytes of responses that clients have not read yet.',
    () => unread().max,
  );
  gauge(
    'crossbook_unread_refused_total',
    [],
    'Responses refused because too much was unread.',
    () => unread().refused,
  );
  const byProvider = (read: (client: ClientStats) => number) => () => {
    const sums = new Map<ProviderName, number>();
    for (const client of clients()) {
      sums.set(client.provider, (sums.get(client.provider) ?? 0) + read(client));
    }
    return [...sums].map(([provider, sum]) => [sum, provider] as const);
  };
  gauge(
    'crossbook_lane_waiting',
    ['provider'],
    'Calls waiting for the rate limit of their connection.',
    byProvider(({ waiting }) => waiting),
  );
  gauge(
    'crossbook_provider_waiting',
    [],
    'Operations waiting for a provider.',
    () => providers().waiting,
  );
  gauge(
    'crossbook_provider_waiting_refused_total',
    [],
    'Operations rejected because too many were waiting.',
    () => providers().refused,
  );
  gauge(
    'crossbook_breakers_open',
    ['provider'],
    'Connections whose circuit breaker is open, after failures or because the provider is slow.',
    byProvider(({ isBreakerOpen }) => Number(isBreakerOpen)),
  );
  gauge(
    'crossbook_provider_clock_difference_seconds',
    ['provider'],
    'Largest difference between the clock of a CRM and that of this process, whichever is ahead.',
    () => {
      const largest = new Map<ProviderName, number>();
      for (const { provider, clockDifferenceMs } of clients())
        largest.set(provider, Math.max(largest.get(provider) ?? 0, clockDifferenceMs / 1_000));
      return [...largest].map(([provider, seconds]) => [seconds, provider] as const);
    },
  );
  gauge(
    'crossbook_connections_in_memory',
    ['provider'],
    'Connections whose state is in memory.',
    byProvider(() => 1),
  );
  gauge(
    'crossbook_provider_api_ends_soon',
    ['provider', 'version'],
    '1 if the vendor ends support of this version of its API within six months.',
    () => sources.apis().map(({ provider, version, endsSoon }) => [endsSoon, provider, version]),
  );
  gauge('crossbook_database_connections', ['state'], 'Connections of the pool.', () =>
    Object.entries(sources.database() ?? {}).map(([state, count]) => [count, state]),
  );
  gauge(
    'crossbook_redis_connected',
    [],
    '1 if limits are shared through Redis, 0 if each process applies its own.',
    sources.redis,
  );
  // Counted in the database, by the process that holds the lease for it. The others report none of these.
  gauge(
    'crossbook_webhook_deliveries_pending',
    [],
    'Events that are not delivered to an endpoint yet; 100,000 means that many or more.',
    () => webhooks()?.pending,
  );
  gauge(
    'crossbook_webhook_overdue_seconds',
    [],
    'Age of the oldest due event for an endpoint that is not failing.',
    () => webhooks()?.overdueSeconds,
  );
  gauge(
    'crossbook_webhook_endpoints',
    ['state'],
    'Endpoints that are failing, and those disabled because of failures.',
    () => {
      const { failing, disabled } = webhooks() ?? {};
      return Object.entries({ failing, disabled }).map(([state, count]) => [count, state]);
    },
  );
  gauge(
    'crossbook_syncs',
    ['state'],
    'Syncs that are not paused, and those whose last run failed.',
    () => {
      const { syncs, failed } = sources.syncs() ?? {};
      return Object.entries({ active: syncs, failed }).map(([state, count]) => [count, state]);
    },
  );
  gauge(
    'crossbook_sync_lag_seconds',
    [],
    'Seconds by which the most delayed sync exceeds its interval. Before the end of its first run, it counts from the first attempt.',
    () => sources.syncs()?.lagSeconds,
  );
  gauge(
    'crossbook_row_removal_age_seconds',
    [],
    'Age in seconds of the oldest deletion of a customer whose rows are still at a sync destination.',
    () => sources.syncs()?.removalSeconds,
  );
  gauge(
    'crossbook_sweep_age_seconds',
    ['sweep'],
    'Seconds since this process deleted all old rows, or found that another process does it.',
    () => sources.sweeps().map(({ name, seconds }) => [seconds, name]),
  );
  gauge(
    'crossbook_task_age_seconds',
    ['task'],
    'Seconds since this process finished the periodic task, or found that another process does it.',
    () => sources.tasks().map(({ name, seconds }) => [seconds, name]),
  );
  gauge(
    'crossbook_jobs_age_seconds',
    [],
    'Seconds since this process saw a process of the installation that does jobs.',
    sources.secondsSinceJobs,
  );
  gauge(
    'crossbook_table_rows',
    ['table'],
    'Rows of the table, as PostgreSQL last estimated them.',
    () => sources.tables().map(({ name, rows }) => [rows, name]),
  );
  gauge('crossbook_table_bytes', ['table'], 'Size of the table with its indexes.', () =>
    sources.tables().map(({ name, bytes }) => [bytes, name]),
  );
  gauge(
    'crossbook_log_lines_lost_total',
    [],
    'Lines of the log that could not be written.',
    sources.lostLogLines,
  );
}

/** Gauges of the process: event loop lag and resources. The returned function stops them. */
export function registerProcessGauges(registry: Registry, version: string): () => void {
  const gauge = createGauges(registry);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();

  gauge('crossbook_build_info', ['version', 'node'], 'Versions of Crossbook and Node.', () => [
    [1, version, process.version],
  ]);
  gauge(
    'nodejs_eventloop_lag_seconds',
    ['quantile'],
    'Event loop lag since the last scrape.',
    () => {
      const quantiles = [delay.percentile(50), delay.percentile(99), delay.max];
      delay.reset();
      return quantiles.map((nanoseconds, index) => [
        nanoseconds / NANOSECONDS,
        QUANTILES[index] ?? '',
      ]);
    },
  );
  gauge('process_resident_memory_bytes', [], 'Memory of the process.', () =>
    process.memoryUsage.rss(),
  );
  gauge(
    'nodejs_heap_used_bytes',
    [],
    'Memory of the JavaScript heap.',
    () => process.memoryUsage().heapUsed,
  );
  gauge('process_cpu_seconds_total', [], 'CPU time.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / MICROSECONDS;
  });
  gauge('process_open_fds', [], 'Open files and sockets.', countDescriptors);
  gauge(
    'process_start_time_seconds',
    [],
    'Start time of the process.',
    () => performance.timeOrigin / 1_000,
  );
  return () => delay.disable();
}

/** Undefined outside of Linux, which alone reports the number. */
function countDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}

/**
 * Creates gauges that are read when scraped. Values that sources count up themselves (`_total`) are exposed as
 * counters.
 */
function createGauges(registry: Registry) {
  return (name: string, labelNames: string[], help: string, read: () => Reading): void => {
    const Metric = name.endsWith('_total') ? Counter<string> : Gauge<string>;
    const metric = new Metric({
      name,
      help,
      labelNames,
      aggregator: AGGREGATORS[name] ?? 'sum',
      registers: [registry],
      collect() {
        metric.reset();
        // `reset` leaves a zero for a metric without labels, where an absent value is meant.
        if (labelNames.length === 0) metric.remove();
        const reading = read();
        for (const [value, ...labels] of typeof reading === 'object'
          ? reading
          : [[reading] as const]) {
          if (value !== undefined) metric.labels(...labels).inc(Number(value));
        }
      },
    });
  };
}

/** How the values of several workers become one, where it is not their sum. */
const AGGREGATORS: Readonly<Record<string, 'min' | 'max'>> = {
  crossbook_build_info: 'max',
  crossbook_jobs_age_seconds: 'max',
  crossbook_provider_api_ends_soon: 'max',
  crossbook_redis_connected: 'min',
  crossbook_row_removal_age_seconds: 'max',
  crossbook_sweep_age_seconds: 'max',
  crossbook_sync_lag_seconds: 'max',
  crossbook_syncs: 'max',
  crossbook_table_bytes: 'max',
  crossbook_table_rows: 'max',
  crossbook_task_age_seconds: 'max',
  crossbook_webhook_deliveries_pending: 'max',
  crossbook_webhook_endpoints: 'max',
  crossbook_webhook_overdue_seconds: 'max',
  nodejs_eventloop_lag_seconds: 'max',
  process_start_time_seconds: 'min',
};

/** One value, or several with their label values. Undefined: no value. */
type Reading = Value | readonly (readonly [value: Value, ...labels: string[]])[];

/** True is 1, false is 0. */
type Value = number | boolean | undefined;

const QUANTILES = ['0.5', '0.99', '1'];
const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

interface ClientStats {
  readonly provider: ProviderName;
  readonly waiting: number;
  readonly isBreakerOpen: boolean;
  /** Of the clock of its CRM, whichever is ahead. */
  readonly clockDifferenceMs: number;
}

export interface GaugeSources {
  requests(): {
    readonly running: number;
    readonly queued: number;
    /** Running requests without an application. */
    readonly unauthenticated: number;
    readonly refused: { readonly queueFull: number; readonly queueTimeout: number };
    readonly heavy: { readonly taken: number; readonly waiting: number };
  };
  unread(): { readonly held: number; readonly max: number; readonly refused: number };
  clients(): readonly ClientStats[];
  providers(): { readonly waiting: number; readonly refused: number };
  apis(): readonly ApiSupport[];
  /** Undefined: there is no pool. */
  database():
    | { readonly open: number; readonly idle: number; readonly waiting: number }
    | undefined;
  /** Whether Redis is connected. Undefined without Redis. */
  redis(): boolean | undefined;
  /** Undefined: no webhook endpoint exists. */
  webhooks(): WebhookCounts | undefined;
  /** Undefined: nothing is synced. */
  syncs(): SyncCounts | undefined;
  sweeps(): readonly { readonly name: string; readonly seconds: number }[];
  tasks(): readonly { readonly name: string; readonly seconds: number }[];
  tables(): readonly { readonly name: string; readonly rows: number; readonly bytes: number }[];
  /** Since a process was last seen that does jobs. */
  secondsSinceJobs(): number;
  lostLogLines(): number;
}
