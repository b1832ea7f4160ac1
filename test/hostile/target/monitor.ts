import type { ChildProcess } from 'node:child_process';

/** Queries the product's process, via its preload, for what only the process itself knows. */
export function createMonitor(child: ChildProcess): Monitor {
  // Replies come in the order of the requests.
  const waiting: Waiting[] = [];
  child.on('message', (reading) => waiting.shift()?.resolve(reading as Reading));
  child.once('exit', () => {
    for (const { reject } of waiting.splice(0)) reject(ended());
  });
  const ask = (what: string, ports?: readonly number[]) =>
    new Promise<Reading>((resolve, reject) => {
      if (!child.connected) {
        reject(ended());
        return;
      }
      waiting.push({ resolve, reject });
      child.send({ ask: what, ports }, (error) => error && reject(error));
    });
  return {
    read: () => ask('read'),
    collect: () => ask('collect'),
    calibrate: async () => (await ask('calibrate')).calibrationMs,
    close: (ports) => ask('close', ports),
  };
}

function ended(): Error {
  return new Error('The product has ended.');
}

export interface Monitor {
  /** Since the last read. */
  read(): Promise<Loop>;
  /** After a garbage collection. */
  collect(): Promise<Reading>;
  /** How long the calibration loop takes in the product's process, in milliseconds. */
  calibrate(): Promise<number>;
  /** Closes the listeners on these ports. */
  close(ports: readonly number[]): Promise<unknown>;
}

export interface Loop {
  /** The longest piece of work, in milliseconds of processor time without garbage collection. */
  readonly longestMs: number;
  /** The maximum event loop delay, which other processes can increase. */
  readonly lateMs: number;
  /** Resident memory in bytes. */
  readonly rss: number;
}

interface Reading extends Loop {
  /** Heap and external memory, in bytes. */
  readonly held: number;
  readonly calibrationMs: number;
}

interface Waiting {
  resolve(reading: Reading): void;
  reject(error: Error): void;
}
