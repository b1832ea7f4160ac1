import Counter from 'prom-client/lib/counter.js';
import Histogram from 'prom-client/lib/histogram.js';
import Registry from 'prom-client/lib/registry.js';
import type { ProviderCall, RejectedRequest, RequestRecord } from '../../domain/log.ts';
import type { ProviderName } from '../../domain/provider-names.ts';
import type { Revocation } from '../../domain/tenant.ts';
import type { HttpResponse } from '../../lib/http-message.ts';
import { registerProcessGauges } from './gauges.ts';
import type { MetricData } from './sum-metrics.ts';

/**
 * Creates the counters, the histograms and the gauges of the process; `gauges.ts` reads the others at a scrape.
 * Labels are APIs, operations, providers and codes (closed sets): never an application, a customer or an id.
 */
export function createMetrics({ version }: { readonly version: string }) {
  const registry = new Registry();
  const close = registerProcessGauges(registry, version);

  function counter<Label extends string>(name: string, labelNames: readonly Label[], help: string) {
    return new Counter({ name, help, labelNames, registers: [registry] });
  }

  function histogram<Label extends string>(
    name: string,
    labelNames: readonly Label[],
    buckets: number[],
    help: string,
  ) {
    return new Histogram({ name, help, labelNames, buckets, registers: [registry] });
  }

  const requests = counter(
    'crossbook_requests_total',
    ['api', 'operation', 'outcome'],
    'Requests, by the code of their first error, or ok.',
  );
  const durations = histogram(
    'crossbook_request_duration_seconds',
    ['api', 'operation'],
    REQUEST_SECONDS,
    'Time from the headers of a request to its response.',
  );
  const errors = counter(
    'crossbook_errors_total',
    ['api', 'code'],
    'Errors in responses. One response may have several.',
  );
  const refusals = counter(
    'crossbook_refusals_total',
    ['status', 'code'],
    'Connections and invalid requests that were rejected, with or without an error response.',
  );
  const cache = counter(
    'crossbook_cache_requests_total',
    ['result'],
    'Requests that read the cache, by result.',
  );
  const flows = counter(
    'crossbook_connect_flows_total',
    ['provider', 'outcome'],
    'Flows of connect links: started, by how they ended, and pages that rejected a request.',
  );
  const calls = counter(
    'crossbook_provider_calls_total',
    ['provider', 'outcome'],
    'Calls to providers, including retries.',
  );
  const callDurations = histogram(
    'crossbook_provider_call_duration_seconds',
    ['provider'],
    CALL_SECONDS,
    'Time from sending a call to its complete response.',
  );
  const waits = histogram(
    'crossbook_lane_wait_seconds',
    ['provider'],
    CALL_SECONDS,
    'Time that a call waited for the rate limit of its connection.',
  );
  const refreshes = counter(
    'crossbook_token_refreshes_total',
    ['provider', 'outcome'],
    'Refreshes of access tokens, by outcome.',
  );
  const revocations = counter(
    'crossbook_grants_revoked_total',
    ['provider', 'outcome'],
    'Grants of removed connections, by the result of revoking them at the provider.',
  );
  const idleRefreshes = counter(
    'crossbook_idle_token_refreshes_total',
    ['provider', 'outcome'],
    'Refreshes of tokens unused for a week, by outcome.',
  );
  const restricted = counter(
    'crossbook_token_refreshes_restricted_total',
    ['provider'],
    'Refreshes that the provider does not allow from this address, at this time or with this app.',
  );
  const merged = histogram(
    'crossbook_lookup_emails_per_call',
    ['provider'],
    EMAILS,
    'Number of emails per batched look-up.',
  );
  const webhooks = counter(
    'crossbook_webhook_attempts_total',
    ['result'],
    'Attempts to deliver events to endpoints, by result.',
  );
  const forwarded = counter(
    'crossbook_requests_forwarded_total',
    ['outcome'],
    'Requests that a worker passed to the worker of their customer, or handled itself because that was full or unavailable.',
  );

  const syncRuns = counter(
    'crossbook_sync_runs_total',
    ['provider', 'outcome'],
    'Runs of syncs that have ended, by outcome: completed, or the kind of the error.',
  );
  const syncRows = counter(
    'crossbook_sync_rows_total',
    ['provider', 'change'],
    'Rows that syncs have written to destinations, and marked as deleted.',
  );

  return {
    request({ operation = 'none', ...record }: RequestRecord): void {
      const api = record.api ?? 'none';
      const outcome = record.errors[0]?.code ?? (record.status < 400 ? 'ok' : 'refused');
      requests.inc({ api, operation, outcome });
      durations.observe({ api, operation }, record.ms / 1_000);
      for (const { code } of record.errors) errors.inc({ api, code });
      for (const result of record.cache) cache.inc({ result });
    },
    refusal({ status, code }: RejectedRequest): void {
      refusals.inc({ status: String(status ?? 'none'), code });
    },
    call({ provider, budget, outcome, status = 0, ms, waitedMs }: ProviderCall): void {
      const told = outcome === 'answered' ? toOutcome(status) : outcome;
      if (budget === TOKEN) refreshes.inc({ provider, outcome: told });
      else waits.observe({ provider }, waitedMs / 1_000);
      calls.inc({ provider, outcome: told });
      callDurations.observe({ provider }, ms / 1_000);
    },
    webhook: (result: string) => webhooks.inc({ result }),
    /** `outcome` is one of a closed set. */
    syncRun: (provider: ProviderName, outcome: string) =>
      syncRuns.inc({ provider, outcome: outcome.toLowerCase() }),
    syncRows(provider: ProviderName, { records, deleted }: SyncedRows): void {
      syncRows.inc({ provider, change: 'written' }, records);
      syncRows.inc({ provider, change: 'deleted' }, deleted);
    },
    /**
     * Counts a step of a connect link's flow: `STARTED`, its outcome, or the reason why a page failed. A closed set.
     */
    connect: ({ provider, outcome }: { readonly provider: string; readonly outcome: string }) =>
      flows.inc({ provider, outcome: outcome.toLowerCase() }),
    lookup: ({ provider, emails }: { readonly provider: ProviderName; readonly emails: number }) =>
      merged.observe({ provider }, emails),
    revoked: (provider: ProviderName, outcome: Revocation) =>
      revocations.inc({ provider, outcome: outcome.toLowerCase() }),
    idleRefresh: (provider: ProviderName, outcome: string) =>
      idleRefreshes.inc({ provider, outcome }),
    restricted: (provider: ProviderName) => restricted.inc({ provider }),
    forwarded: (outcome: string) => forwarded.inc({ outcome }),
    /** All metrics as data. */
    read: (): Promise<readonly MetricData[]> => registry.getMetricsAsJSON(),
    /** The registry, for gauges of other folders. */
    registry,
    /** Answers `/metrics`. */
    async answer(render = () => registry.metrics()): Promise<HttpResponse> {
      const headers = {
        'content-type': Registry.PROMETHEUS_CONTENT_TYPE,
        'cache-control': 'no-store',
      };
      return { status: 200, headers, body: await render() };
    },
    close,
  };
}

interface SyncedRows {
  readonly records: number;
  readonly deleted: number;
}

function toOutcome(status: number): string {
  if (status < 300) return 'ok';
  return status === TOO_MANY ? 'rate_limited' : `${Math.floor(status / 100)}xx`;
}

const TOO_MANY = 429;
const TOKEN = 'token';
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const CALL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const EMAILS = [1, 2, 5, 10, 25, 50, 75, 100];

export type Metrics = ReturnType<typeof createMetrics>;
