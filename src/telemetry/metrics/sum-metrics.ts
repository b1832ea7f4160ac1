import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import AggregatorRegistry from 'prom-client/lib/cluster.js';
import { createSingleFlight } from '../../lib/cache.ts';

/**
 * The metrics of several processes as one. The counters of a process that has ended stay in the sum, because a sum that
 * falls looks like a restart.
 */
export function createMetricSums() {
  const latest = new Map<object, Metrics>();
  /** Counters of ended processes: their sum so far, and those that have ended since. */
  let ended: readonly Metrics[] = [];
  const rendering = createSingleFlight<string>();

  return {
    update(process: object, metrics: Metrics): void {
      latest.set(process, metrics);
    },
    end(process: object): void {
      const metrics = latest.get(process) ?? [];
      latest.delete(process);
      ended = [...ended, metrics.filter(({ type }) => COUNTING.has(String(type)))];
    },
    /** `own` is added. */
    render: (own: Metrics): Promise<string> =>
      rendering(async () => {
        const text = sum([...ended, ...latest.values(), own]).metrics();
        const summed = ended;
        const one = await sum(summed).getMetricsAsJSON();
        ended = [one, ...ended.slice(summed.length)];
        return text;
      }),
  };
}

function sum(processes: readonly Metrics[]) {
  return AggregatorRegistry.aggregate(processes.map((metrics) => [...metrics]));
}

const COUNTING: ReadonlySet<string> = new Set(['counter', 'histogram']);

type Metrics = readonly MetricData[];

/** A metric with its values, as plain data. */
export type MetricData = MetricObjectWithValues<MetricValue<string>>;
