import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApp, type TestApp } from '../support/open-app.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { toFetch } from '../support/to-fetch.ts';

const EMAILS = Array.from({ length: 40 }, (_, n) => `somebody-${n}@example.com`);
let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

test('requests, provider calls and batched lookups can be scraped in the Prometheus format', async () => {
  const aliases = EMAILS.map(
    (email, n) => `a${n}: searchContacts(filter: { email: "${email}" }) { totalCount }`,
  );
  await crossbook.execute(`{ ${aliases.join(' ')} }`, {}, { 'x-provider-name': 'hubspot' });
  await crossbook.execute(`{ ${aliases[0]} }`, {}, { 'x-provider-name': 'slack' });
  await crossbook.rest('GET', '/customers/nobody-at-all');
  const read = readMetrics(await scrape());
  expect(read('crossbook_requests_total')).toMatchObject({
    'api="graphql",operation="searchContacts",outcome="ok"': 1,
    'api="graphql",operation="searchContacts",outcome="NOT_IMPLEMENTED"': 1,
    'api="rest",operation="getCustomer",outcome="NOT_FOUND"': 1,
  });
  expect(read('crossbook_provider_calls_total')).toEqual({ 'provider="hubspot",outcome="ok"': 1 });
  expect(read('crossbook_lookup_emails_per_call_sum')).toEqual({ 'provider="hubspot"': 40 });
  expect(read('crossbook_connections_in_memory')).toEqual({ 'provider="hubspot"': 1 });
});

test('metric labels contain no personal data, whatever is requested', async () => {
  const query = 'query Secret { customer(customerId: "acme-of-all-people") { name } }';
  await crossbook.execute(query, {}, { 'x-request-id': 'mine-42' });
  await crossbook.rest('GET', '/customers/acme-of-all-people');
  await crossbook.rest('GET', '/made/up/path');
  const text = await scrape();
  for (const name of [
    'acme-of-all-people',
    'Secret',
    'demo',
    'mine-42',
    '/made',
    'example.com',
    crossbook.key,
  ]) {
    expect(text).not.toContain(name);
  }
});

test('the number of time series does not grow, whatever is requested', async () => {
  const listSeries = async () => (await scrape()).match(/^[a-z_]+(?:\{.*\})?(?= )/gm) ?? [];
  const nameOf = (series: string) => series.split('{')[0];
  const sendRandomRequests = async (n: number) => {
    await crossbook.execute(`query Made${n} { customer(customerId: "made-up-${n}") { name } }`);
    await crossbook.execute(`{ unknown${n} }`, {}, { 'x-provider-name': `unknown-${n}` });
    await crossbook.rest('GET', `/made/up/${n}`, undefined, { 'x-customer-id': `made-up-${n}` });
  };
  await sendRandomRequests(0);
  const before = await listSeries();
  for (let n = 1; n <= 20; n++) await sendRandomRequests(n);
  // Metrics of the tables have their series once a background job has counted the rows, which may be meanwhile.
  const names = new Set(before.map(nameOf));
  expect((await listSeries()).filter((series) => names.has(nameOf(series)))).toEqual(before);
});

test('every metric is on the dashboard, and every metric of the dashboard exists', async () => {
  const dashboard = readFileSync('ops/grafana.json', 'utf8');
  const shown = new Set(
    [...dashboard.matchAll(/(?:crossbook|nodejs|process)_[a-z_]+/g)].map(([name]) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    ),
  );
  const exported = new Set(
    [...(await scrape()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name),
  );
  const unused = ['process_start_time_seconds'];
  expect([...exported].filter((name) => !shown.has(String(name)))).toEqual(unused);
  expect([...shown].filter((name) => !exported.has(name))).toEqual([]);
});

test('the metrics endpoint is 404 where metrics are switched off, and the error names the setting', async () => {
  const silent = await openApp({ metrics: false });
  const { status, body } = await silent.rest('GET', '/metrics');
  expect([status, body.errors[0].detail]).toEqual([
    404,
    expect.stringContaining('CROSSBOOK_METRICS=on'),
  ]);
  await silent.close();
});

async function scrape(): Promise<string> {
  const response = await toFetch(crossbook.app.answer)(
    new Request('http://crossbook.test/metrics'),
  );
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return response.text();
}
