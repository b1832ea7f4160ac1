import type { ProviderCall, RejectedRequest, RequestRecord } from '../../domain/log.ts';
import type { ProviderName } from '../../domain/provider-names.ts';
import type { Revocation } from '../../domain/removal.ts';
import type { HttpResponse } from '../../lib/http-message.ts';
import { registerProcessGauges } from './gauges.ts';

/** What is counted. Labels name faces, operations, providers and codes: never an application, a customer or an id. */
export function createMetrics({ version }: { readonly version: string }): Metrics {
  const registry = createMetricsRegistry();
  const watch = registerProcessGauges(registry, version);
  const requests = registry.counter('crossbook_requests_total', 'Requests, by their first error or ok.');
  const durations = registry.histogram(
    'crossbook_request_duration_seconds',
    'From the headers of a request to its answer.',
    REQUEST_SECONDS,
  );
  const errors = registry.counter(
    'crossbook_errors_total',
    'Errors in answers: one answer may hold several.',
  );
  const refusals = registry.counter(
    'crossbook_refusals_total',
    'Sent away before it was a request, with a bare status or with none.',
  );
  const cache = registry.counter(
    'crossbook_cache_requests_total',
    'Requests that read the cache, by what it gave.',
  );
  const flows = registry.counter(
    'crossbook_connect_flows_total',
    'Flows of connect links: begun, and how each ended, and pages that led no further.',
  );
  const calls = registry.counter('crossbook_provider_calls_total', 'Calls to providers, each try counted.');
  const callDurations = registry.histogram(
    'crossbook_provider_call_duration_seconds',
    'From sending a call to its whole answer.',
    CALL_SECONDS,
  );
  const waits = registry.histogram(
    'crossbook_lane_wait_seconds',
    'How long a call waited for its connection’s budget.',
    CALL_SECONDS,
  );
  const refreshes = registry.counter('crossbook_token_refreshes_total', 'Access tokens renewed, or not.');
  const revocations = registry.counter(
    'crossbook_grants_revoked_total',
    'Grants of removed connections, by what became of them at the provider.',
  );
  const idleRefreshes = registry.counter(
    'crossbook_idle_token_refreshes_total',
    'Refresh tokens that nobody had used for a week, by what became of their renewal.',
  );
  const restricted = registry.counter(
    'crossbook_token_refreshes_restricted_total',
    'Access tokens not renewed because the provider lets nobody do so from this address, at this hour, or with this app.',
  );
  const merged = registry.histogram(
    'crossbook_lookup_emails_per_call',
    'Emails that were looked up together.',
    EMAILS,
  );

  const webhooks = registry.counter('crossbook_webhook_attempts_total', 'Events sent to endpoints, or not.');

  return {
    request({ face = 'none', operation = 'none', ...record }) {
      const outcome = record.errors[0]?.code ?? (record.status < 400 ? 'ok' : 'refused');
      requests.add({ face, operation, outcome });
      durations.observe({ face, operation }, record.ms / 1_000);
      for (const { code } of record.errors) errors.add({ face, code });
      for (const result of record.cache) cache.add({ result });
    },
    refusal: ({ status, code }) => refusals.add({ status: String(status ?? 'none'), code }),
    call({ provider, budget, outcome, status = 0, ms, waitedMs }) {
      const told = outcome === 'answered' ? toOutcome(status) : outcome;
      if (budget === TOKEN) refreshes.add({ provider, outcome: told });
      else waits.observe({ provider }, waitedMs / 1_000);
      calls.add({ provider, outcome: told });
      callDurations.observe({ provider }, ms / 1_000);
    },
    webhook: (result) => webhooks.add({ result }),
    connect: ({ provider, outcome }) => flows.add({ provider, outcome: outcome.toLowerCase() }),
    lookup: ({ provider, emails }) => merged.observe({ provider }, emails),
    revoked: (provider, outcome) => revocations.add({ provider, outcome: outcome.toLowerCase() }),
    idleRefresh: (provider, outcome) => idleRefreshes.add({ provider, outcome }),
    restricted: (provider) => restricted.add({ provider }),
    gauge: registry.gauge,
    render: registry.render,
    close: watch.close,
  };
}

function toOutcome(status: number): string {
  if (status < 300) return 'ok';
  return status === TOO_MANY ? 'rate_limited' : `${Math.floor(status / 100)}xx`;
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const TOO_MANY = 429;
const TOKEN = 'token';
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const CALL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const EMAILS = [1, 2, 5, 10, 25, 50, 75, 100];

/** Counters, gauges and histograms, in the text format of Prometheus. Labels come from closed sets: nobody's data. */
export function createMetricsRegistry(): Registry {
  const families: Family[] = [];

  return {
    counter(name, help) {
      const series = createSeries(() => ({ value: 0 }));
      families.push({ name, help, type: 'counter', read: () => series.all().map(toSample) });
      return {
        add(labels, by = 1) {
          const one = series.at(labels);
          if (one) one.value += by;
        },
      };
    },

    gauge(name, help, read) {
      families.push({
        // What others count up themselves is a counter all the same.
        ...{ name, help, type: name.endsWith('_total') ? 'counter' : 'gauge' },
        read: () => read().map(({ labels = {}, value }) => ({ labels: toLabels(labels), value })),
      });
    },

    histogram(name, help, buckets) {
      const series = createSeries(() => ({ counts: buckets.map(() => 0), count: 0, sum: 0 }));
      families.push({
        ...{ name, help, type: 'histogram' },
        read: () => series.all().flatMap((one) => toBuckets(one, buckets)),
      });
      return {
        observe(labels, value) {
          const one = series.at(labels);
          if (!one) return;
          const index = buckets.findIndex((bound) => value <= bound);
          if (index >= 0) one.counts[index] = (one.counts[index] ?? 0) + 1;
          one.count += 1;
          one.sum += value;
        },
      };
    },

    render: () => families.map(toText).join(''),
  };
}

function createSeries<State extends object>(create: () => State) {
  const states = new Map<string, State & { readonly labels: string }>();
  return {
    /** Undefined: a bound that no closed set of labels reaches. A mistake costs a number, not the memory. */
    at(values: Labels) {
      let key = '';
      for (const name in values) key += `${name}\0${values[name]}\0`;
      const known = states.get(key);
      if (known || states.size >= MAX_SERIES) return known;
      const state = { ...create(), labels: toLabels(values) };
      states.set(key, state);
      return state;
    },
    all: () => [...states.values()],
  };
}

function toSample({ labels, value }: { readonly labels: string; readonly value: number }): Sample {
  return { labels, value };
}

/** What a bucket holds, all smaller ones hold as well: that is how Prometheus counts. */
function toBuckets({ labels, counts, count, sum }: Distribution, buckets: readonly number[]): Sample[] {
  let below = 0;
  const samples = buckets.map((bound, index) => {
    below += counts[index] ?? 0;
    return { suffix: '_bucket', labels: withLabel(labels, `le="${bound}"`), value: below };
  });
  return [
    ...samples,
    { suffix: '_bucket', labels: withLabel(labels, 'le="+Inf"'), value: count },
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ];
}

function toText({ name, help, type, read }: Family): string {
  const samples = read().map(({ suffix = '', labels, value }) => `${name}${suffix}${labels} ${value}\n`);
  return samples.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${samples.join('')}`;
}

function toLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeText(value)}"`);
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
}

function withLabel(labels: string, pair: string): string {
  return labels === '' ? `{${pair}}` : `${labels.slice(0, -1)},${pair}}`;
}

function escapeText(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

const MAX_SERIES = 2_000;

export async function answerMetrics({ render }: Pick<Metrics, 'render'>): Promise<HttpResponse> {
  const headers = { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' };
  return { status: 200, headers, body: render() };
}

export interface Metrics {
  request(record: RequestRecord): void;
  refusal(refusal: RejectedRequest): void;
  call(call: ProviderCall): void;
  /** A flow of a connect link: `STARTED`, its end, or why a page led no further. One of few. */
  connect(flow: { readonly provider: string; readonly outcome: string }): void;
  lookup(call: { readonly provider: ProviderName; readonly emails: number }): void;
  webhook(result: string): void;
  revoked(provider: ProviderName, outcome: Revocation): void;
  idleRefresh(provider: ProviderName, outcome: string): void;
  restricted(provider: ProviderName): void;
  /** For what others know and are asked about. */
  readonly gauge: ReturnType<typeof createMetricsRegistry>['gauge'];
  render(): string;
  close(): void;
}

export interface Registry {
  counter(name: string, help: string): Counter;
  /** Read when it is asked for. */
  gauge(name: string, help: string, read: () => readonly GaugeSample[]): void;
  histogram(name: string, help: string, buckets: readonly number[]): Histogram;
  render(): string;
}

interface Counter {
  add(labels: Labels, by?: number): void;
}

interface Histogram {
  observe(labels: Labels, value: number): void;
}

interface GaugeSample {
  readonly labels?: Labels;
  readonly value: number;
}

type Labels = Readonly<Record<string, string>>;

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  read(): readonly Sample[];
}

interface Sample {
  readonly suffix?: string;
  readonly labels: string;
  readonly value: number;
}

interface Distribution {
  readonly labels: string;
  readonly counts: readonly number[];
  readonly count: number;
  readonly sum: number;
}
