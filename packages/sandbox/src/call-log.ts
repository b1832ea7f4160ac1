/** The calls to an account: exact counters, and the newest calls themselves. */
export function createCallLog({ now }: { now: () => number }): CallLog {
  let log: RecordedCall[] = [];
  let counts = new Map<string, number>();
  const running = new Set<OpenCall>();
  return {
    calls: () => log,
    callCount: (operation) =>
      operation === undefined
        ? [...counts.values()].reduce((sum, count) => sum + count, 0)
        : (counts.get(operation) ?? 0),
    resetCalls() {
      log = [];
      counts = new Map();
    },
    running: () => [...running].map((call) => call.startedAt),
    openCall({ operation, path, inputs }) {
      const call: OpenCall = { operation, path, inputs, startedAt: now(), status: 0 };
      counts.set(operation, (counts.get(operation) ?? 0) + 1);
      log.push(call);
      if (log.length > MAX_CALLS) log.shift();
      running.add(call);
      return {
        answered(status) {
          call.status = status;
        },
        ended: () => running.delete(call),
      };
    },
  };
}

const MAX_CALLS = 10_000;

export interface CallLog {
  /** The newest ten thousand, oldest first. */
  calls(): readonly RecordedCall[];
  /** Counts the calls of one operation, or of all. */
  callCount(operation?: string): number;
  resetCalls(): void;
  /** The start times of the calls in flight. */
  running(): readonly number[];
  openCall(call: Pick<RecordedCall, 'operation' | 'path' | 'inputs'>): CallEntry;
}

export interface RecordedCall {
  readonly operation: string;
  readonly path: string;
  readonly inputs: number;
  readonly startedAt: number;
  /** 0: no response (yet). */
  readonly status: number;
}

interface OpenCall extends RecordedCall {
  status: number;
}

interface CallEntry {
  answered(status: number): void;
  ended(): void;
}
