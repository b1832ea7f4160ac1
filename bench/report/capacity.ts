import type { Column, Cost, RequestCost, ScaleResult } from '../commands/scale.ts';
import { DAY_OF_CUSTOMER, type DayOfCustomer } from '../workload/day-of-customer.ts';
import { toEnvironmentText } from './environment.ts';
import { toTable } from './throughput-table.ts';

/** The capacity section of docs/performance.md: what was measured, what follows from it, and how far a prediction was off. */
export function toCapacitySection(result: ScaleResult): string {
  const { environment, columns } = result;
  return [
    `Made by \`npm run bench -- scale\`: ${toEnvironmentText(environment)}.`,
    '### Assumptions',
    toAssumptions(),
    '### What a request costs',
    COSTS,
    toCostTable(result),
    toOtherCosts(result),
    '### Processes, connections, disk and Redis by the number of customers',
    toPlanTable(result),
    toCheck(columns),
  ].join('\n\n');
}

function toAssumptions(): string {
  const { requests, deliveries, syncRuns, syncedRows, events, peakFactor } = DAY_OF_CUSTOMER;
  const { applications, connections, activeHours, syncing } = INSTALLATION;
  return toTable(
    ['of a customer and day, on average', ''],
    [
      ['searches that call the CRM', String(requests.searchOfMany)],
      ['searches from the cache', String(requests.cachedSearch)],
      ['reads of the customer', String(requests.read)],
      ['upserts that change something', String(requests.upsert)],
      ['events', String(events)],
      ['webhook deliveries', String(deliveries)],
      ['runs of syncs: one an hour for a fifth of the customers', String(syncRuns)],
      ['rows that syncs write', String(syncedRows)],
      [
        'peak factor: requests and deliveries in the busiest hour, by the average',
        String(peakFactor),
      ],
      ['hours in which the customer sends requests', String(activeHours)],
      ['connections of a customer', String(connections)],
      ['share of customers with a synced table', String(syncing)],
      ['applications', String(applications)],
    ],
  );
}

function toCostTable({ columns, bareUpsert }: ScaleResult): string {
  const head = ['ms of a processor, Crossbook / PostgreSQL', ...columns.map(toTitle)];
  const rows = Object.entries(NAMES).map(([name, title]) => [
    title,
    ...columns.map(({ costs }) => toPair(costs[name as keyof typeof NAMES])),
  ]);
  const bare = columns.map(({ workers, perSecond }) => {
    const cost = bareUpsert.find((one) => one.perSecond === perSecond);
    return workers === 1 && cost ? toPair(cost) : '';
  });
  const idle = columns.map((one) => toPair(one.idle));
  return toTable(head, [
    ...rows,
    ['a second without requests', ...idle],
    ['for comparison: node:http and a bare upsert', ...bare],
  ]);
}

function toOtherCosts({
  columns: [first],
  bareUpsert: [bare],
  delivery,
  sync,
}: ScaleResult): string {
  if (!first || !bare) return '';
  const { upsert } = first.costs;
  const ratio = (upsert.product / bare.product).toFixed(1);
  return `In the first column, an upsert costs Crossbook ${ratio} times as much as the bare one costs its process. A webhook delivery costs ${toPair(delivery)} ms, a run of a sync
that finds nothing new ${toPair(sync.runWithoutNews)} ms, and a thousand rows of a first sync ${toPair(sync.thousandRows)} ms. The destination is on the same server, and its part
is in the second figure.`;
}

function toPlanTable(result: ScaleResult): string {
  const plans = SIZES.map((customers) => planFor(customers, result));
  const row = (title: string, toValue: (plan: Plan) => string) => [title, ...plans.map(toValue)];
  return toTable(
    ['customers', ...SIZES.map((size) => size.toLocaleString('en'))],
    [
      row('requests a second, busiest hour', ({ requests }) => toCount(requests)),
      row('calls to CRMs a second, busiest hour', ({ calls }) => toCount(calls)),
      row('cores that Crossbook uses', ({ product }) => product.toFixed(2)),
      row('processes', ({ processes }) => String(processes)),
      row('cores that PostgreSQL uses', ({ postgres }) => postgres.toFixed(2)),
      row('connections to PostgreSQL', ({ connections }) => String(connections)),
      ...Object.keys(plans[0]?.disk ?? {}).map((name) =>
        row(`${name}, GB`, ({ disk }) => toGb(disk[name] ?? 0)),
      ),
      row('database in total, GB', ({ disk }) =>
        toGb(Object.values(disk).reduce((sum, bytes) => sum + bytes)),
      ),
      row('Redis commands a second, busiest hour', ({ redis }) => toCount(redis)),
    ],
  );
}

/** The formulas of docs/sizing.md. */
function planFor(customers: number, { columns, delivery, sync }: ScaleResult): Plan {
  const [first] = columns;
  if (!first) throw new Error('Nothing was measured.');
  const day = DAY_OF_CUSTOMER;
  const perSecond = (count: number) => (customers * count) / DAY_SECONDS;
  const inPeak = (count: number) => perSecond(count) * day.peakFactor;
  const names = Object.keys(day.requests) as (keyof DayOfCustomer['requests'])[];
  const sum = (toValue: (cost: RequestCost) => number) =>
    names.reduce(
      (total, name) => total + inPeak(day.requests[name]) * toValue(first.costs[name]),
      0,
    );
  const cores = (name: keyof Cost) =>
    (sum((cost) => cost[name]) +
      inPeak(day.deliveries) * delivery[name] +
      perSecond(day.syncRuns) * sync.runWithoutNews[name] +
      (perSecond(day.syncedRows) / 1_000) * sync.thousandRows[name]) /
    1_000;
  const product = cores('product');
  const processes = Math.max(LEAST_PROCESSES, Math.ceil(product / BUSY) + SPARE);
  const requests = sum(() => 1);
  const calls = sum((cost) => cost.calls) + perSecond(day.syncRuns) * CALLS_OF_SYNC;
  return {
    requests,
    calls,
    product,
    processes,
    postgres: cores('postgres'),
    connections: processes * CONNECTIONS_OF_PROCESS + CONNECTIONS_OF_MIGRATION,
    disk: toDisk(customers, processes),
    redis: requests + 2 * calls,
  };
}

function toDisk(customers: number, processes: number): Plan['disk'] {
  const { applications, connections, activeHours, syncing } = INSTALLATION;
  const { events } = DAY_OF_CUSTOMER;
  const counted = Math.min(
    customers * activeHours,
    applications * COUNTED_CUSTOMERS * processes * 24,
  );
  return {
    'customers, connections, credentials':
      customers * (BYTES.customer + connections * (BYTES.connection + BYTES.credentials)),
    'events of 30 days': customers * events * 30 * BYTES.event,
    'usage of 90 days': counted * 90 * BYTES.usage,
    'states and runs of syncs':
      customers * syncing * (BYTES.plan + BYTES.sync + 30 * BYTES.syncRun),
    'cached contacts, at most': applications * CACHE_BYTES * (BYTES.cached / BYTES.cachedContent),
  };
}

/** How far the costs of single requests are from that of all of them, sent together. */
function toCheck(columns: readonly Column[]): string {
  const { requests } = DAY_OF_CUSTOMER;
  const names = Object.keys(requests) as (keyof DayOfCustomer['requests'])[];
  const total = names.reduce((sum, name) => sum + requests[name], 0);
  const errors = columns.flatMap(({ costs }) =>
    (['product', 'postgres'] as const).map((name) => {
      const predicted = names.reduce((sum, one) => sum + requests[one] * costs[one][name], 0);
      return (predicted / total / costs.mix[name] - 1) * 100;
    }),
  );
  const toPercent = (error: number) => `${error > 0 ? '+' : ''}${error.toFixed(0)} %`;
  return `The requests of a day, sent together in their proportions, were predicted with errors of ${toPercent(Math.min(...errors))} to ${toPercent(Math.max(...errors))}.`;
}

function toTitle({ workers, perSecond }: Column): string {
  return `${workers} ${workers === 1 ? 'process' : 'workers'}, ${perSecond}/s`;
}

function toPair({ product, postgres }: Cost): string {
  return `${product.toFixed(2)} / ${postgres.toFixed(2)}`;
}

function toCount(value: number): string {
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en');
}

function toGb(bytes: number): string {
  return (bytes / 1e9).toFixed(bytes < 1e10 ? 2 : 0);
}

const NAMES = {
  read: 'read a customer',
  upsert: 'upsert that changes the name',
  searchOfMany: 'search, 20 customers',
  searchOfOne: 'search, one customer',
  cachedSearch: 'search, from the cache',
} as const;

const SIZES = [10_000, 100_000, 1_000_000];
const DAY_SECONDS = 86_400;
/** How busy a process is planned to be. */
const BUSY = 0.6;
/** For a process that ends or is replaced. */
const SPARE = 1;
const LEAST_PROCESSES = 2;
const CONNECTIONS_OF_PROCESS = 11;
const CONNECTIONS_OF_MIGRATION = 2;
const CALLS_OF_SYNC = 2;
/** Of an application in an hour, that each process counts by name. */
const COUNTED_CUSTOMERS = 1_000;
/** The default of CROSSBOOK_CACHE_MEGABYTES. */
const CACHE_BYTES = 64e6;

/** What docs/performance.md assumes of an installation. */
const INSTALLATION = {
  applications: 10,
  /** Of a customer. */
  connections: 1.5,
  /** Hours of a day in which a customer sends requests. */
  activeHours: 8,
  /** Share of customers that sync. */
  syncing: 0.2,
} as const;

/** Bytes of a row with its indexes: measured by `npm run large`, and the same as in the formulas of docs/sizing.md. */
const BYTES = {
  customer: 290,
  connection: 548,
  credentials: 522,
  event: 370,
  usage: 208,
  plan: 167,
  sync: 239,
  syncRun: 240,
  cached: 1_323,
  cachedContent: 1_000,
} as const;

const COSTS = `The processor time of all processes of Crossbook and of PostgreSQL for each request, with 32 connections. Rates are those of all workers together. A
request costs less in a busy process, which batches more, so the first column is closest to a process that is used to 60 %. With several workers, the
costs include forwarding a request to the worker of its customer.`;

interface Plan {
  readonly requests: number;
  readonly calls: number;
  readonly product: number;
  readonly processes: number;
  readonly postgres: number;
  readonly connections: number;
  /** Bytes by what they are for. */
  readonly disk: Readonly<Record<string, number>>;
  readonly redis: number;
}
