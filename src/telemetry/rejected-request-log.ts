import type { Log } from '../domain/log.ts';
import type { RejectedRequest } from '../domain/request-log.ts';
import { type PeriodicTaskOptions, runPeriodically } from '../lib/background.ts';
import { readRequestId, readTraceContext } from './request-log.ts';

/**
 * One line for each refusal while they are few. Whoever floods us with nonsense does not flood the log: of one kind only
 * the first in each while are written, and one line at its end says how many were left out.
 */
export function createRejectedRequestLog({ log, schedule }: RejectedRequestLogOptions): RejectedRequestLog {
  // The codes are few: so are these.
  let kinds = new Map<string, Kind>();
  const turns = runPeriodically({
    intervalMs: WHILE_MS,
    work: async () => tellLeftOut(),
    onError: (cause) => log.warn({ cause }, 'refusals were not told'),
    schedule,
  });

  return {
    write(refusal) {
      const { status, code } = refusal;
      const key = `${status} ${code}`;
      const kind = kinds.get(key) ?? { status, code, count: 0 };
      kinds.set(key, kind);
      kind.count += 1;
      if (kind.count <= MOST_LINES) log.info(toLine(refusal), 'refused');
    },
    async close() {
      await turns.stop();
      tellLeftOut();
    },
  };

  function tellLeftOut(): void {
    for (const { status, code, count } of kinds.values())
      if (count > MOST_LINES) log.warn({ status, code, leftOut: count - MOST_LINES }, 'refused');
    kinds = new Map();
  }
}

function toLine({ status, code, errorId, arrival }: RejectedRequest): object {
  if (!arrival) return { status, code, errorId };
  const { traceId, parentId } = readTraceContext(arrival.traceparent);
  return {
    requestId: readRequestId(arrival.requestId),
    // One that begins here leads nowhere.
    traceId: parentId && traceId,
    ...{ status, code, errorId },
  };
}

const WHILE_MS = 10_000;
const MOST_LINES = 10;

export interface RejectedRequestLog {
  write(refusal: RejectedRequest): void;
  /** Tells what is still to be told. */
  close(): Promise<void>;
}

interface RejectedRequestLogOptions extends Pick<PeriodicTaskOptions, 'schedule'> {
  readonly log: Log;
}

interface Kind extends Pick<RejectedRequest, 'status' | 'code'> {
  count: number;
}
