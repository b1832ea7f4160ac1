import { expect, test } from 'vitest';
import { createMetrics } from '../../src/telemetry/metrics/metrics.ts';
import { createMetricSums } from '../../src/telemetry/metrics/sum-metrics.ts';
import { readMetrics } from '../support/read-metrics.ts';

test('counters and histograms of processes are added, also of those that have ended', async () => {
  const processes = [createMetrics({ version: '1' }), createMetrics({ version: '1' })];
  const sums = createMetricSums();
  const update = async () => {
    for (const one of processes) sums.update(one, await one.read());
  };
  for (const one of processes) {
    one.webhook('delivered');
    one.lookup({ provider: 'hubspot', emails: 7 });
  }
  await update();
  const expectSums = async (count: number) => {
    const read = readMetrics(await sums.render([]));
    expect(read('crossbook_webhook_attempts_total')).toEqual({ 'result="delivered"': count });
    expect(read('crossbook_lookup_emails_per_call_sum')).toEqual({
      'provider="hubspot"': 7 * count,
    });
    expect(read('crossbook_lookup_emails_per_call_bucket')).toMatchObject({
      'le="5",provider="hubspot"': 0,
      'le="10",provider="hubspot"': count,
    });
    return read;
  };
  await expectSums(2);
  const [first, second] = processes;
  if (first) sums.end(first);
  await expectSums(2);
  if (second) sums.end(second);
  await expectSums(2);
  await expectSums(2);
  const next = createMetrics({ version: '1' });
  for (let times = 0; times < 2; times += 1) {
    next.webhook('delivered');
    next.lookup({ provider: 'hubspot', emails: 7 });
  }
  sums.update(next, await next.read());
  const read = await expectSums(4);
  // Gauges are those of the processes that run.
  expect(read('crossbook_build_info')).toEqual({
    [`version="1",node="${process.version}"`]: 1,
  });
  for (const one of [...processes, next]) one.close();
});

test('metrics of the supervisor are added, and values that cannot be added are combined', async () => {
  const sums = createMetricSums();
  const gauge = (value: number, name: string, aggregator: string) =>
    [{ name, type: 'gauge', help: name, aggregator, values: [{ value, labels: {} }] }] as never;
  for (const value of [1, 0]) sums.update({}, gauge(value, 'connected', 'min'));
  const read = readMetrics(await sums.render(gauge(3, 'workers', 'sum')));
  expect([read('connected'), read('workers')]).toEqual([{ '': 0 }, { '': 3 }]);
});
