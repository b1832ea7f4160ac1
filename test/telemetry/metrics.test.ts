import { afterEach, expect, test } from 'vitest';
import type { ProviderCall, RequestRecord } from '../../src/domain/log.ts';
import { registerGauges } from '../../src/telemetry/metrics/gauges.ts';
import { createMetrics, type Metrics } from '../../src/telemetry/metrics/metrics.ts';
import { readMetrics } from '../support/read-metrics.ts';

const opened: Metrics[] = [];
afterEach(() => {
  for (const metrics of opened.splice(0)) metrics.close();
});

test('requests are counted by API, operation and first error', async () => {
  const metrics = open();
  metrics.request(RECORD);
  metrics.request({ ...RECORD, errors: [NOT_FOUND, { id: '2', code: 'REMOTE_PROVIDER_TIMEOUT' }] });
  metrics.request({ ...RECORD, api: undefined, operation: undefined, status: 404 });
  const read = readMetrics(await metrics.registry.metrics());
  expect(read('crossbook_requests_total')).toEqual({
    'api="graphql",operation="searchContacts",outcome="ok"': 1,
    'api="graphql",operation="searchContacts",outcome="NOT_FOUND"': 1,
    'api="none",operation="none",outcome="refused"': 1,
  });
  expect(read('crossbook_errors_total')).toEqual({
    'api="graphql",code="NOT_FOUND"': 1,
    'api="graphql",code="REMOTE_PROVIDER_TIMEOUT"': 1,
  });
  expect(read('crossbook_cache_requests_total')).toEqual({ 'result="hit"': 3 });
  expect(read('crossbook_request_duration_seconds_count')).toMatchObject({
    'api="graphql",operation="searchContacts"': 2,
  });
});

test('calls are counted by provider and outcome; a token refresh is not counted as a waiting call', async () => {
  const metrics = open();
  for (const status of [200, 207, 404, 429, 503]) metrics.call({ ...CALL, status });
  metrics.call({ ...CALL, outcome: 'REMOTE_PROVIDER_TIMEOUT', status: undefined });
  metrics.call({ ...CALL, budget: 'token' });
  metrics.lookup({ provider: 'hubspot', emails: 100 });
  const read = readMetrics(await metrics.registry.metrics());
  expect(read('crossbook_provider_calls_total')).toEqual({
    'provider="hubspot",outcome="ok"': 3,
    'provider="hubspot",outcome="4xx"': 1,
    'provider="hubspot",outcome="rate_limited"': 1,
    'provider="hubspot",outcome="5xx"': 1,
    'provider="hubspot",outcome="REMOTE_PROVIDER_TIMEOUT"': 1,
  });
  expect(read('crossbook_token_refreshes_total')).toEqual({ 'provider="hubspot",outcome="ok"': 1 });
  expect(read('crossbook_lane_wait_seconds_count')).toEqual({ 'provider="hubspot"': 6 });
  expect(read('crossbook_lookup_emails_per_call_sum')).toEqual({ 'provider="hubspot"': 100 });
});

test('queues and circuit breakers are summed by provider, without a label per connection', async () => {
  const metrics = open();
  registerGauges(metrics, {
    requests: () => ({ ...REQUESTS, running: 5, unauthenticated: 2 }),
    providers: () => ({ waiting: 5, refused: 6 }),
    unread: () => ({ held: 7, max: 70, refused: 2 }),
    clients: () => [
      { provider: 'hubspot', waiting: 3, isBreakerOpen: true, clockDifferenceMs: 0 },
      { provider: 'hubspot', waiting: 4, isBreakerOpen: false, clockDifferenceMs: 90_000 },
      { provider: 'salesforce', waiting: 0, isBreakerOpen: false, clockDifferenceMs: 0 },
    ],
    apis: () => [
      {
        provider: 'hubspot',
        version: '2026-03',
        supportedUntil: '2027-09-30',
        endsSoon: true,
        isOver: false,
      },
    ],
    database: () => ({ open: 10, idle: 8, waiting: 0 }),
    webhooks: () => undefined,
    syncs: () => undefined,
    redis: () => false,
    sweeps: () => [{ name: 'contact_cache', seconds: 7 }],
    tasks: () => [],
    tables: () => [],
    secondsSinceJobs: () => 0,
    lostLogLines: () => 3,
  });
  const read = readMetrics(await metrics.registry.metrics());
  expect(read('crossbook_lane_waiting')).toEqual({
    'provider="hubspot"': 7,
    'provider="salesforce"': 0,
  });
  expect(read('crossbook_breakers_open')).toEqual({
    'provider="hubspot"': 1,
    'provider="salesforce"': 0,
  });
  expect(read('crossbook_database_connections')).toEqual({
    'state="open"': 10,
    'state="idle"': 8,
    'state="waiting"': 0,
  });
  expect(read('crossbook_redis_connected')).toEqual({ '': 0 });
  expect(read('crossbook_log_lines_lost_total')).toEqual({ '': 3 });
  expect(read('crossbook_provider_api_ends_soon')).toEqual({
    'provider="hubspot",version="2026-03"': 1,
  });
  expect(read('crossbook_provider_waiting')).toEqual({ '': 5 });
  expect(read('crossbook_requests_running')).toEqual({ 'caller="known"': 3, 'caller="none"': 2 });
  expect(read('crossbook_requests_turned_away_total')).toEqual({
    'reason="queue_full"': 1,
    'reason="queue_timeout"': 2,
  });
  expect(read('crossbook_provider_clock_difference_seconds')).toEqual({
    'provider="hubspot"': 90,
    'provider="salesforce"': 0,
  });
  expect(read('crossbook_unread_bytes')).toEqual({ '': 7 });
  expect(read('crossbook_unread_bytes_max')).toEqual({ '': 70 });
  expect(read('crossbook_unread_refused_total')).toEqual({ '': 2 });
  expect(read('crossbook_heavy_requests')).toEqual({ 'state="running"': 0, 'state="waiting"': 0 });
});

test('components that are not configured have no metrics, so that they do not look unavailable', async () => {
  const metrics = open();
  registerGauges(metrics, {
    requests: () => REQUESTS,
    providers: () => ({ waiting: 5, refused: 6 }),
    unread: () => ({ held: 0, max: 1, refused: 0 }),
    clients: () => [],
    apis: () => [],
    database: () => undefined,
    webhooks: () => undefined,
    syncs: () => undefined,
    redis: () => undefined,
    sweeps: () => [],
    tasks: () => [],
    tables: () => [],
    secondsSinceJobs: () => 0,
    lostLogLines: () => 0,
  });
  const read = readMetrics(await metrics.registry.metrics());
  expect(read('crossbook_redis_connected')).toEqual({});
  expect(read('crossbook_database_connections')).toEqual({});
});

test('the process has metrics of its version and its resources', async () => {
  const read = readMetrics(await open().registry.metrics());
  expect(Object.keys(read('crossbook_build_info'))).toEqual([
    `version="1.2.3",node="${process.version}"`,
  ]);
  expect(Object.keys(read('nodejs_eventloop_lag_seconds'))).toHaveLength(3);
  expect(read('process_resident_memory_bytes')['']).toBeGreaterThan(1e6);
});

const REQUESTS = {
  running: 0,
  queued: 0,
  unauthenticated: 0,
  refused: { queueFull: 1, queueTimeout: 2 },
  heavy: { taken: 0, waiting: 0 },
};

function open(): Metrics {
  const metrics = createMetrics({ version: '1.2.3' });
  opened.push(metrics);
  return metrics;
}

const NOT_FOUND = { id: '1', code: 'NOT_FOUND' } as const;
const CALL: ProviderCall = {
  provider: 'hubspot',
  budget: 'general',
  outcome: 'answered',
  status: 200,
  ms: 3,
  waitedMs: 1,
};
const RECORD: RequestRecord = {
  requestId: 'r',
  traceId: 't',
  method: 'POST',
  route: '/graphql',
  api: 'graphql',
  operation: 'searchContacts',
  operationName: 'Find',
  application: 'Demo',
  credential: 'k',
  customers: ['acme'],
  providers: ['hubspot'],
  status: 200,
  errors: [],
  clientClosed: undefined,
  ms: 3,
  calls: 1,
  bytes: 10,
  cache: ['hit'],
};
