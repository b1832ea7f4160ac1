import type { Answer, Operation } from './operations.ts';

/** Classifies each response: correct, an error with an accepted reason, or wrong. */
export function createJudge(isDatabaseExcused: (times: Times) => boolean): Judge {
  const tally: Tally = { right: 0, refusals: new Map(), wrong: [], skipped: 0 };

  return {
    tally,

    answered(operation, answer, times) {
      const errors: readonly Answer[] = answer.errors ?? [];
      const reasons = errors.map((error) => findReason(error, operation, times));
      const isWhole =
        errors.length === 0 ? operation.isRight(answer) : isTrueBesides(operation, answer);
      if (!isWhole || reasons.includes(undefined)) {
        const response = JSON.stringify(errors[reasons.indexOf(undefined)] ?? answer);
        wrong(operation, `after ${Math.round(times.answeredAt - times.sentAt)} ms: ${response}`);
      } else if (reasons[0] === undefined) tally.right += 1;
      else count(reasons[0], operation, times);
    },

    failed(operation, error, { sentAt, answeredAt, isReused }) {
      const connection = isReused ? 'a kept connection' : 'a new connection';
      wrong(operation, `${error} after ${Math.round(answeredAt - sentAt)} ms on ${connection}`);
    },
  };

  /** Undefined: no accepted reason, to be investigated. */
  function findReason(error: Answer, { refusals }: Operation, times: Times): string | undefined {
    const { code, detail } = error.extensions ?? error;
    if (refusals?.test(code)) return code;
    if (code !== 'SERVICE_UNAVAILABLE') return undefined;
    if (/^The database is unavailable/.test(detail) && isDatabaseExcused(times))
      return `${code}: no database`;
    // Upserts renew credentials that a fault has disconnected: what the earlier ones have read is given to nobody.
    if (/^The credentials of a connection/.test(detail)) return `${code}: other credentials`;
    if (
      /^(?:This caller has too many queued|The server is overloaded)/.test(detail) &&
      times.wasFull
    )
      return `${code}: no room`;
    // A lack of memory is no accepted reason: this load takes a twentieth of the limit.
    return undefined;
  }

  function count(reason: string, { name }: Operation, { sentAt, answeredAt }: Times): void {
    const byOperation = tally.refusals.get(reason) ?? new Map<string, Refused>();
    const { count, longestMs } = byOperation.get(name) ?? { count: 0, longestMs: 0 };
    const tookMs = answeredAt - sentAt;
    byOperation.set(name, { count: count + 1, longestMs: Math.max(longestMs, tookMs) });
    tally.refusals.set(reason, byOperation);
  }

  function wrong({ name }: Operation, why: string): void {
    tally.wrong.push(`${name}: ${why.slice(0, 600)}`);
  }
}

/** An error does not excuse wrong data beside it. */
function isTrueBesides({ isPartRight }: Operation, answer: Answer): boolean {
  const data = Object.values(answer.data ?? {}).filter((value) => value !== null);
  return data.length === 0 || isPartRight?.(answer) === true;
}

export interface Judge {
  readonly tally: Tally;
  answered(operation: Operation, answer: Answer, times: Times): void;
  failed(operation: Operation, error: unknown, times: Times): void;
}

export interface Tally {
  right: number;
  /** Reason → operation → count. */
  readonly refusals: Map<string, Map<string, Refused>>;
  readonly wrong: string[];
  /** Not sent, because too many requests were in flight. */
  skipped: number;
}

interface Refused {
  readonly count: number;
  readonly longestMs: number;
}

/** When the request was in flight, and how. */
export interface Times {
  readonly sentAt: number;
  readonly answeredAt: number;
  /** Whether the concurrency limit was reached at any moment. */
  readonly wasFull: boolean;
  /** Whether it used a kept-alive connection. */
  readonly isReused: boolean;
}
