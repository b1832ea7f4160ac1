import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Registry } from './registry.ts';

/** The process itself: how late its event loop is, and what it takes of the machine. */
export function watchProcess(registry: Registry, version: string): Watch {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const one = (value: number) => [{ value }];

  registry.gauge('crossbook_build_info', 'Which Crossbook runs, on which Node.', () => [
    { labels: { version, node: process.version }, value: 1 },
  ]);
  registry.gauge(
    'nodejs_eventloop_lag_seconds',
    'How late the event loop was, since the last scrape.',
    () => {
      const readings = [0.5, 0.99].map((quantile) => ({
        labels: { quantile: String(quantile) },
        value: delay.percentile(quantile * 100) / NANOSECONDS,
      }));
      const highest = { labels: { quantile: '1' }, value: delay.max / NANOSECONDS };
      delay.reset();
      return [...readings, highest];
    },
  );
  registry.gauge('process_resident_memory_bytes', 'Memory of the process.', () =>
    one(process.memoryUsage.rss()),
  );
  registry.gauge('nodejs_heap_used_bytes', 'Memory of what JavaScript holds.', () =>
    one(process.memoryUsage().heapUsed),
  );
  registry.gauge('process_cpu_seconds_total', 'Time on a processor.', () => {
    const { user, system } = process.cpuUsage();
    return one((user + system) / MICROSECONDS);
  });
  registry.gauge('process_open_fds', 'Open files and sockets.', () => countDescriptors());
  registry.gauge('process_start_time_seconds', 'When the process began.', () =>
    one(performance.timeOrigin / 1_000),
  );
  return { close: () => void delay.disable() };
}

/** Where the system does not tell (it is not Linux) there is no such number. */
function countDescriptors() {
  try {
    return [{ value: readdirSync('/proc/self/fd').length }];
  } catch {
    return [];
  }
}

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

export interface Watch {
  close(): void;
}
