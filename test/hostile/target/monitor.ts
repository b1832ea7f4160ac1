import type { ChildProcess } from 'node:child_process';

/** Asks the product's process, by its preload, what only the process itself knows. */
export function createMonitor(child: ChildProcess): Monitor {
  // It answers in the order in which it is asked.
  const waiting: Waiting[] = [];
  child.on('message', (told) => waiting.shift()?.resolve(told as Told));
  child.once('exit', () => {
    for (const { reject } of waiting.splice(0)) reject(ended());
  });
  const ask = (what: string) =>
    new Promise<Told>((resolve, reject) => {
      if (!child.connected) {
        reject(ended());
        return;
      }
      waiting.push({ resolve, reject });
      child.send({ ask: what }, (error) => error && reject(error));
    });
  return { read: () => ask('read'), collect: () => ask('collect') };
}

function ended(): Error {
  return new Error('The product has ended.');
}

export interface Monitor {
  /** Since it was read last. */
  read(): Promise<Loop>;
  /** Once garbage is collected. */
  collect(): Promise<Told>;
}

export interface Loop {
  /** The longest that the event loop was held by work of its own. */
  readonly heldMs: number;
  /** The longest delay in its histogram, which other processes lengthen. */
  readonly lateMs: number;
  /** Resident memory in bytes. */
  readonly rss: number;
}

interface Told extends Loop {
  /** Heap and what hangs on it, in bytes. */
  readonly held: number;
}

interface Waiting {
  resolve(told: Told): void;
  reject(error: Error): void;
}
