import { createCounters } from './counters.ts';
import { createProfiler } from './profiler.ts';

/** The inside of a bench process: reports that it is ready, and handles calls by name. */
export function startWorker(ready: object, handlers: Handlers = {}): void {
  const all: Handlers = {
    usage: async () => process.cpuUsage(),
    ...createProfiler(),
    ...createCounters(),
    ...handlers,
  };
  process.on('message', (message: Call) => {
    const { id, name, input } = message;
    const handler = all[name] ?? (() => Promise.reject(new Error(`There is no call ${name}.`)));
    handler(input).then(
      (value) => process.send?.({ id, value }),
      (error: unknown) =>
        process.send?.({ id, error: String(error instanceof Error ? error.stack : error) }),
    );
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ ready });
}

// biome-ignore lint/suspicious/noExplicitAny: each handler has its own input type.
type Handlers = Readonly<Record<string, (input: any) => Promise<unknown>>>;

export interface Call {
  readonly id: number;
  readonly name: string;
  readonly input?: unknown;
}
