import type { ChildProcess } from 'node:child_process';

/** Asks the product's process, by its preload, what only the process itself knows. */
export function createMonitor(child: ChildProcess): Monitor {
  // It answers in the order in which it is asked.
  const waiting: Waiting[] = [];
  child.on('message', (told) => waiting.shift()?.resolve(told as Told));
  child.once('exit', () => {
    for (const { reject } of waiting.splice(0)) reject(ended());
  });
  const ask = (what: string, ports?: readonly number[]) =>
    new Promise<Told>((resolve, reject) => {
      if (!child.connected) {
        reject(ended());
        return;
      }
      waiting.push({ resolve, reject });
      child.send({ ask: what, ports }, (error) => error && reject(error));
    });
  return { read: () => ask('read'), collect: () => ask('collect'), close: (ports) => ask('close', ports) };
}

function ended(): Error {
  return new Error('The product has ended.');
}

export interface Monitor {
  /** Since it was read last. */
  read(): Promise<Loop>;
  /** Once garbage is collected. */
  collect(): Promise<Told>;
  /** Nobody listens on these ports any more. */
  close(ports: readonly number[]): Promise<unknown>;
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
