import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { openTraces } from '../../src/telemetry/traces.ts';
import { type Collector, openCollector } from '../support/collector.ts';
import { createFakeLog } from '../support/fake-log.ts';

let collector: Collector | undefined;
afterEach(() => collector?.close());

test('spans are exported by OTLP, with the operator’s headers and attributes', async () => {
  collector = await openCollector();
  const traces = open({ endpoint: collector.endpoint, headers: { authorization: 'Bearer x' } });
  const trace = traces.start(PARENT);
  trace.called({ name: 'call hubspot', failed: false, attributes: {}, ms: 1_500 });
  trace.end({ ...REQUEST, failed: true });
  await traces.close();
  expect(collector.headers[0]).toMatchObject({
    authorization: 'Bearer x',
    'content-type': 'application/json',
  });
  const [call, request] = collector.spans();
  expect(request).toMatchObject({
    traceId: PARENT.traceId,
    parentSpanId: PARENT.spanId,
    name: 'POST graphql',
    kind: 2,
    attributes: [
      { key: 'a', value: { stringValue: 'text' } },
      { key: 'b', value: { intValue: 200 } },
      { key: 'c', value: { doubleValue: 1.5 } },
    ],
    status: { code: 2 },
  });
  expect(call).toMatchObject({ parentSpanId: request?.spanId, kind: 3, status: { code: 0 } });
  const { startTimeUnixNano = '', endTimeUnixNano = '' } = call ?? {};
  expect(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)).toBe(1_500_000_000n);
});

test('many spans are exported in few requests', async () => {
  collector = await openCollector();
  const traces = open({ endpoint: collector.endpoint });
  for (let n = 0; n < 1_000; n++) traces.start(PARENT).end(REQUEST);
  await traces.close();
  expect(collector.spans()).toHaveLength(1_000);
  expect(collector.headers.length).toBeLessThanOrEqual(2);
});

test('a collector that rejects or is unavailable costs only its spans and a log line', async () => {
  collector = await openCollector({ status: 400 });
  const log = createFakeLog();
  // A refused connection is tried again after at least 800 ms, which the second timeout does not allow.
  for (const [endpoint, timeoutMs] of [
    [collector.endpoint, 600_000],
    ['http://127.0.0.1:1', 500],
  ] as const) {
    const traces = open({ endpoint, log, timeoutMs });
    traces.start(PARENT).end(REQUEST);
    traces.start(PARENT).end(REQUEST);
    await traces.close();
  }
  expect(log.lines.map(({ level, fields }) => [level, fields])).toEqual([
    ['warn', { dropped: 2, problem: 'Bad Request' }],
    ['warn', { dropped: 2, problem: expect.stringContaining('ECONNREFUSED') }],
  ]);
});

test('an overloaded collector gets the spans again', async () => {
  collector = await openCollector({ status: 503, afterwards: 200 });
  const log = createFakeLog();
  const traces = open({ endpoint: collector.endpoint, log });
  traces.start(PARENT).end(REQUEST);
  await traces.close();
  expect(collector.spans()).toHaveLength(1);
  expect(log.lines).toEqual([]);
});

test('spans that a slow collector does not accept do not fill the memory', async () => {
  collector = await openCollector();
  const log = createFakeLog();
  const traces = open({ endpoint: collector.endpoint, log, maxWaiting: 10 });
  // Ten are on their way and ten wait: that leaves five.
  for (let n = 0; n < 25; n++) traces.start(PARENT).end(REQUEST);
  await expect.poll(() => collector?.spans().length).toBe(20);
  traces.start(PARENT).end(REQUEST);
  expect(log.lines[0]?.fields).toMatchObject({ problem: expect.stringContaining(' 5 spans') });
  await traces.close();
});

test('an operation over a thousand records exports few spans', async () => {
  collector = await openCollector();
  const traces = open({ endpoint: collector.endpoint });
  const trace = traces.start(PARENT);
  for (let n = 0; n < 1_000; n++)
    trace.called({ name: 'call', failed: false, attributes: {}, ms: 1 });
  trace.end(REQUEST);
  await traces.close();
  expect(collector.spans()).toHaveLength(257);
});

function open(options: Partial<Parameters<typeof openTraces>[0]> & { endpoint: string }) {
  return openTraces({
    serviceName: 'crossbook',
    version: '1.2.3',
    log: createFakeLog(),
    clock: systemClock,
    ...options,
  });
}

const PARENT = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: '00f067aa0ba902b7' };
const REQUEST = {
  name: 'POST graphql',
  failed: false,
  attributes: { a: 'text', b: 200, c: 1.5, d: undefined },
};
