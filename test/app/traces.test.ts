import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { type Collector, openCollector } from '../support/collector.ts';
import { openApp, type TestApp } from '../support/open-app.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const FIND = '{ searchContacts(filter: { email: "ada@example.com" }) { totalCount } }';
let collector: Collector | undefined;
let crossbook: TestApp | undefined;
afterEach(() => collector?.close());

test('a request is one trace: request, operation, use case and provider call, within the caller’s trace', async () => {
  const spans = await trace(async (app) => {
    await app.execute(
      FIND,
      {},
      { 'x-provider-name': 'hubspot', traceparent: `00-${TRACE}-${CALLER}-01` },
    );
  });
  expect(spans.every(({ traceId }) => traceId === TRACE)).toBe(true);
  const request = spans.find(({ kind }) => kind === 2);
  expect(request).toMatchObject({ name: 'POST searchContacts', parentSpanId: CALLER });
  const operation = spans.find(({ parentSpanId }) => parentSpanId === request?.spanId);
  expect(operation).toMatchObject({ name: 'searchContacts', kind: 1 });
  const below = spans.filter(({ parentSpanId }) => parentSpanId === operation?.spanId);
  expect(below.map(({ name, kind }) => [name, kind])).toEqual([
    ['call hubspot', 3],
    ['searchContacts', 1],
  ]);
  expect(spans).toHaveLength(4);
});

test('every use case has a span of its name, in GraphQL and REST', async () => {
  const customer = { name: 'Acme', email: 'acme@example.com', connections: [] };
  const spans = await trace(async (app) => {
    await app.rest('PUT', '/customers', { customer_id: 'acme', ...customer });
    await app.rest('GET', '/customers/acme');
    await app.rest('POST', '/customers/acme/tokens', {});
    await app.execute(
      'mutation { issueCustomerToken(input: { customerId: "acme" }) { expiresAt } }',
    );
    await app.rest(
      'POST',
      '/contacts/_search',
      { filter: { email: 'ada@example.com' } },
      ZENDESK_SELL,
    );
  });
  const isUseCase = { key: 'crossbook.kind', value: { stringValue: 'use case' } };
  const useCases = spans.filter(({ attributes }) =>
    attributes.some((one) => isDeepStrictEqual(one, isUseCase)),
  );
  expect(useCases.map(({ name }) => name)).toEqual([
    'upsertCustomer',
    'findCustomer',
    'issueCustomerToken',
    'issueCustomerToken',
    'searchContacts',
  ]);
});

test('spans contain no secrets and no personal data', async () => {
  const spans = await trace(async (app) => {
    await app.execute(FIND, {}, { 'x-provider-name': 'hubspot' });
    await app.rest(
      'POST',
      '/contacts/_search',
      { filter: { email: 'ada@example.com' } },
      ZENDESK_SELL,
    );
  });
  expect(spans.length).toBeGreaterThan(4);
  const text = JSON.stringify(spans);
  for (const secret of [
    'ada@example.com',
    crossbook?.key,
    crossbook?.sandbox.hubspot.demo.staticToken,
  ]) {
    expect(text).not.toContain(secret);
  }
});

test('no trace header is sent to a provider', async () => {
  const arrivals: IncomingHttpHeaders[] = [];
  // The sandbox listens in this process: every request to it can be inspected.
  const watch = (message: unknown) => {
    arrivals.push((message as { request: IncomingMessage }).request.headers);
  };
  subscribe('http.server.request.start', watch);
  await trace(async (app) => {
    await app.execute(
      FIND,
      {},
      { 'x-provider-name': 'hubspot', traceparent: `00-${TRACE}-${CALLER}-01` },
    );
  });
  unsubscribe('http.server.request.start', watch);
  const calls = arrivals.filter((headers) => headers['user-agent'] === 'crossbook');
  expect(calls).toHaveLength(1);
  expect(JSON.stringify(calls)).not.toContain(TRACE);
});

const ZENDESK_SELL = { 'x-provider-name': 'zendesk_sell' };

/** Closing the product exports the remaining spans. */
async function trace(work: (app: TestApp) => Promise<void>) {
  collector = await openCollector();
  const { endpoint } = collector;
  crossbook = await openApp({ traces: { endpoint, headers: {}, serviceName: 'crossbook' } });
  try {
    await work(crossbook);
  } finally {
    await crossbook.close();
  }
  return collector.spans();
}
