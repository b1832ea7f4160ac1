import { afterEach, expect, test } from 'vitest';
import { createSpanExporter } from '../../src/telemetry/otlp.ts';
import type { Span } from '../../src/telemetry/spans.ts';
import { type Collector, openCollector } from '../support/collector.ts';
import { createFakeLog } from '../support/fake-log.ts';

let collector: Collector | undefined;
afterEach(() => collector?.close());

test('spans arrive as OTLP says, with what the operator wants sent along', async () => {
  collector = await openCollector();
  const exporter = open({ endpoint: collector.endpoint, headers: { authorization: 'Bearer x' } });
  exporter.export([SPAN]);
  await exporter.close();
  expect(collector.headers[0]).toMatchObject({
    authorization: 'Bearer x',
    'content-type': 'application/json',
  });
  expect(collector.spans()).toEqual([
    {
      ...{ traceId: SPAN.traceId, spanId: SPAN.id, parentSpanId: SPAN.parentId, name: 'POST graphql' },
      kind: 2,
      startTimeUnixNano: '1700000000000500000',
      endTimeUnixNano: '1700000000012000000',
      attributes: [
        { key: 'a', value: { stringValue: 'text' } },
        { key: 'b', value: { intValue: '200' } },
        { key: 'c', value: { doubleValue: 1.5 } },
      ],
      status: { code: 2 },
    },
  ]);
});

test('many spans travel in few requests', async () => {
  collector = await openCollector();
  const exporter = open({ endpoint: collector.endpoint });
  exporter.export(Array.from({ length: 1_000 }, () => SPAN));
  await exporter.close();
  expect(collector.spans()).toHaveLength(1_000);
  expect(collector.headers.length).toBeLessThanOrEqual(2);
});

test('a collector that refuses, or is not there, costs its spans and a line in the log, nothing else', async () => {
  collector = await openCollector({ status: 503 });
  const log = createFakeLog();
  for (const endpoint of [collector.endpoint, 'http://127.0.0.1:1']) {
    const exporter = open({ endpoint, log });
    exporter.export([SPAN, SPAN]);
    await exporter.close();
  }
  expect(log.lines.map(({ level, fields }) => [level, fields])).toEqual([
    ['warn', { dropped: 2, problem: 'HTTP 503' }],
    ['warn', { dropped: 2, problem: 'TypeError' }],
  ]);
});

test('what a collector cannot take in time does not fill the memory', async () => {
  collector = await openCollector();
  const log = createFakeLog();
  const exporter = open({ endpoint: collector.endpoint, log, maxWaiting: 10 });
  exporter.export(Array.from({ length: 25 }, () => SPAN));
  await exporter.close();
  expect(collector.spans()).toHaveLength(10);
  expect(log.lines[0]?.fields).toMatchObject({ dropped: 15 });
});

function open(options: Partial<Parameters<typeof createSpanExporter>[0]> & { endpoint: string }) {
  const service = { name: 'crossbook', version: '1.2.3' };
  return createSpanExporter({ service, log: createFakeLog(), ...options });
}

const SPAN: Span = {
  ...{ traceId: '0af7651916cd43dd8448eb211c80319c', id: 'b7ad6b7169203331', parentId: '00f067aa0ba902b7' },
  ...{
    name: 'POST graphql',
    kind: 'server',
    start: 1_700_000_000_000.5,
    end: 1_700_000_000_012,
    failed: true,
  },
  attributes: { a: 'text', b: 200, c: 1.5, d: undefined },
};
