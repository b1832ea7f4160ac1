import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import type { WebhookCounts } from '../../domain/event.ts';
import type { ApiSupport } from '../../domain/provider.ts';
import type { ProviderName } from '../../domain/provider-names.ts';
import type { Metrics } from './metrics.ts';

/** What other rooms know of themselves, asked for when it is scraped. */
export function registerGauges({ registry }: Pick<Metrics, 'registry'>, rooms: Rooms): void {
  const gauge = createGauges(registry);
  watchRequests(gauge, rooms.requests);
  gauge('crossbook_held_bytes', ['kind'], 'Memory held for clients and providers.', () =>
    byKind(rooms.heldBytes(), ({ held }) => held),
  );
  gauge('crossbook_held_bytes_max', [], 'The bound of the sum.', () => [{ value: rooms.heldBytes().max }]);
  gauge(
    'crossbook_held_bytes_refused_total',
    ['kind'],
    'Times that something did not fit into the bound or a share.',
    () => byKind(rooms.heldBytes(), ({ refused }) => refused),
  );
  gauge('crossbook_lane_waiting', ['provider'], 'Calls that wait for their connection’s budget.', () =>
    byProvider(rooms.clients(), ({ waiting }) => waiting),
  );
  gauge('crossbook_provider_waiting', [], 'Operations that wait for a provider.', () => [
    { value: rooms.providers().waiting },
  ]);
  gauge('crossbook_provider_waiting_refused_total', [], 'Operations that found no place to wait.', () => [
    { value: rooms.providers().refused },
  ]);
  gauge(
    'crossbook_breakers_open',
    ['provider'],
    'Connections whose provider is left alone, after failures or for slowness.',
    () => byProvider(rooms.clients(), ({ isBreakerOpen }) => Number(isBreakerOpen)),
  );
  gauge('crossbook_connections_in_memory', ['provider'], 'Connections whose state is kept.', () =>
    byProvider(rooms.clients(), () => 1),
  );
  gauge(
    'crossbook_provider_api_ends_soon',
    ['provider', 'version'],
    '1 where the vendor supports this version of its API for half a year at most.',
    () =>
      rooms.apis().map(({ provider, version, endsSoon }) => ({
        labels: { provider, version },
        value: Number(endsSoon),
      })),
  );
  gauge('crossbook_database_connections', ['state'], 'Of the pool.', () => {
    const { open, idle, waiting } = rooms.database() ?? {};
    return Object.entries({ open, idle, waiting }).flatMap(([state, value]) =>
      value === undefined ? [] : [{ labels: { state }, value }],
    );
  });
  gauge(
    'crossbook_redis_connected',
    [],
    '1 while limits are shared, 0 while each process keeps its own.',
    () => {
      const isThere = rooms.redis();
      return isThere === undefined ? [] : [{ value: Number(isThere) }];
    },
  );
  watchWebhooks(gauge, rooms.webhooks);
  gauge('crossbook_log_lines_lost_total', [], 'Lines of the log that could not be written.', () => [
    { value: rooms.lostLogLines() },
  ]);
}

function watchRequests(gauge: Gauges, counts: Rooms['requests']): void {
  gauge('crossbook_requests_running', ['caller'], 'Requests at work, by who sent them.', () => {
    const { running, strangers } = counts();
    return [
      { labels: { caller: 'known' }, value: running - strangers },
      { labels: { caller: 'none' }, value: strangers },
    ];
  });
  gauge('crossbook_requests_queued', [], 'Requests that wait for a place at work.', () => [
    { value: counts().queued },
  ]);
  gauge(
    'crossbook_requests_turned_away_total',
    ['reason'],
    'Requests that were refused for lack of a place.',
    () => {
      const { queueFull, queueTimeout } = counts().refused;
      return [
        { labels: { reason: 'queue_full' }, value: queueFull },
        { labels: { reason: 'queue_timeout' }, value: queueTimeout },
      ];
    },
  );
}

/** Of the database: each process says the same. */
function watchWebhooks(gauge: Gauges, counts: Rooms['webhooks']): void {
  gauge('crossbook_webhook_deliveries_pending', [], 'Events that have not arrived at an endpoint yet.', () =>
    present(counts(), ({ pending }) => [{ value: pending }]),
  );
  gauge(
    'crossbook_webhook_overdue_seconds',
    [],
    'How long the first event waits that is due for an endpoint that does not fail.',
    () => present(counts(), ({ overdueSeconds }) => [{ value: overdueSeconds }]),
  );
  gauge(
    'crossbook_webhook_endpoints',
    ['state'],
    'Endpoints that fail, and those that were disabled because they did.',
    () =>
      present(counts(), ({ failing, disabled }) => [
        { labels: { state: 'failing' }, value: failing },
        { labels: { state: 'disabled' }, value: disabled },
      ]),
  );
}

function present<Counts, Sample>(counts: Counts | undefined, read: (counts: Counts) => readonly Sample[]) {
  return counts === undefined ? [] : [...read(counts)];
}

function byProvider(clients: readonly ClientStats[], read: (client: ClientStats) => number) {
  const sums = new Map<ProviderName, number>();
  for (const client of clients) {
    sums.set(client.provider, (sums.get(client.provider) ?? 0) + read(client));
  }
  return [...sums].map(([provider, value]) => ({ labels: { provider }, value }));
}

function byKind({ kinds }: HeldBytesCounts, read: (counts: KindCounts) => number) {
  return Object.entries(kinds).map(([kind, counts]) => ({ labels: { kind }, value: read(counts) }));
}

/** The process itself: how late its event loop is, and what it takes of the machine. */
export function registerProcessGauges(registry: Registry, version: string): Watch {
  const gauge = createGauges(registry);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const one = (value: number) => [{ value }];

  gauge('crossbook_build_info', ['version', 'node'], 'Which Crossbook runs, on which Node.', () => [
    { labels: { version, node: process.version }, value: 1 },
  ]);
  gauge(
    'nodejs_eventloop_lag_seconds',
    ['quantile'],
    'How late the event loop was, since the last scrape.',
    () => {
      const readings = [0.5, 0.99].map((quantile) => ({
        labels: { quantile: String(quantile) },
        value: delay.percentile(quantile * 100) / NANOSECONDS,
      }));
      const highest = { labels: { quantile: '1' }, value: delay.max / NANOSECONDS };
      delay.reset();
      return [...readings, highest];
    },
  );
  gauge('process_resident_memory_bytes', [], 'Memory of the process.', () => one(process.memoryUsage.rss()));
  gauge('nodejs_heap_used_bytes', [], 'Memory of what JavaScript holds.', () =>
    one(process.memoryUsage().heapUsed),
  );
  gauge('process_cpu_seconds_total', [], 'Time on a processor.', () => {
    const { user, system } = process.cpuUsage();
    return one((user + system) / MICROSECONDS);
  });
  gauge('process_open_fds', [], 'Open files and sockets.', () => countDescriptors());
  gauge('process_start_time_seconds', [], 'When the process began.', () =>
    one(performance.timeOrigin / 1_000),
  );
  return { close: () => void delay.disable() };
}

/** Where the system does not tell (it is not Linux) there is no such number. */
function countDescriptors() {
  try {
    return [{ value: readdirSync('/proc/self/fd').length }];
  } catch {
    return [];
  }
}

/** Read when they are scraped. What others count up themselves (`_total`) is a counter all the same. */
function createGauges(registry: Registry) {
  return (name: string, labelNames: readonly string[], help: string, read: () => readonly Sample[]): void => {
    const options = { name, help, labelNames, registers: [registry] };
    if (name.endsWith('_total')) {
      const counter = new Counter({
        ...options,
        collect() {
          counter.reset();
          for (const { labels = {}, value } of read()) counter.inc(labels, value);
        },
      });
      return;
    }
    const gauge = new Gauge({
      ...options,
      collect() {
        gauge.reset();
        // Without labels a reset leaves a zero, which a number that is not there has not.
        if (labelNames.length === 0) gauge.remove();
        for (const { labels = {}, value } of read()) gauge.set(labels, value);
      },
    });
  };
}

type Gauges = ReturnType<typeof createGauges>;

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

interface HeldBytesCounts {
  readonly max: number;
  readonly kinds: Readonly<Record<string, KindCounts>>;
}

interface KindCounts {
  readonly held: number;
  readonly refused: number;
}

interface ClientStats {
  readonly provider: ProviderName;
  readonly waiting: number;
  readonly isBreakerOpen: boolean;
}

interface RequestCounts {
  readonly running: number;
  readonly queued: number;
  /** Of those that run. */
  readonly strangers: number;
  readonly refused: {
    readonly queueFull: number;
    readonly queueTimeout: number;
  };
}

interface Rooms {
  requests(): RequestCounts;
  heldBytes(): HeldBytesCounts;
  clients(): readonly ClientStats[];
  providers(): { readonly waiting: number; readonly refused: number };
  apis(): readonly ApiSupport[];
  /** Undefined where there is no pool. */
  database(): { readonly open: number; readonly idle: number; readonly waiting: number } | undefined;
  /** Does it answer? Undefined where nothing is shared. */
  redis(): boolean | undefined;
  /** Undefined where there is no endpoint. */
  webhooks(): WebhookCounts | undefined;
  lostLogLines(): number;
}

interface Watch {
  close(): void;
}
