import { pino } from 'pino';
import type { Log, RejectedRequest } from '../domain/log.ts';
import { type PeriodicTaskOptions, runPeriodically } from '../lib/clock.ts';
import { escapeCharacters } from '../lib/text.ts';
import { readRequestId, readTraceContext } from './request-log.ts';

/** Logs JSON lines, short readable lines for a terminal, or to the logger of an embedding application. */
export function createLogger({ level, ...logging }: LoggerOptions): Log {
  if ('logger' in logging) return toOwnLog(logging.logger);
  const { output, readable, worker } = logging;
  const write = (line: string) => output.write(readable ? toReadableLine(line) : line);
  const asJson =
    worker === undefined
      ? toLine
      : (fields: Fields, ...line: [string, number, string]) =>
          toLine({ worker, ...fields }, ...line);
  return Object.assign(pino({ level }, { write }), { [pino.symbols.asJsonSym]: asJson });
}

/** Passes causes as text, because properties of an error may hold secrets, and another logger would write them. */
function toOwnLog(logger: Log): Log {
  const plain = ({ cause, ...fields }: Fields) =>
    cause === undefined ? fields : { ...fields, cause: toLoggedCause(cause) };
  return {
    info: (fields, message) => logger.info(plain(fields), message),
    warn: (fields, message) => logger.warn(plain(fields), message),
    error: (fields, message) => logger.error(plain(fields), message),
  };
}

/**
 * Replaces pino's serialization, which handles arbitrary values. Our fields are plain data, for which
 * `JSON.stringify` takes a quarter of the time: of a request that finds one contact pino took a tenth.
 */
function toLine(fields: Fields, msg: string, level: number, time: string): string {
  const { cause } = fields;
  const facts = JSON.stringify(
    cause === undefined ? fields : { ...fields, cause: toLoggedCause(cause) },
  );
  // pino passes the time as a serialized part of the line.
  const head = `{"level":${level}${time},"msg":${JSON.stringify(msg)}`;
  return facts === '{}' ? `${head}}\n` : `${head},${facts.slice(1)}\n`;
}

/**
 * Logs the stack of errors; other thrown values as text without their properties, which may hold
 * secrets. Cut, because a library may have composed the message from a value of any length.
 */
function toLoggedCause(cause: unknown): string {
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return text.length <= MAX_CAUSE ? text : `${text.slice(0, MAX_CAUSE)}…`;
}

const MAX_CAUSE = 16 * 1024;

/** Formats a JSON log line for a terminal. */
export function toReadableLine(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = typeof time === 'number' ? new Date(time).toISOString().slice(11, 23) : '';
  const facts = Object.entries(fields).map(([name, value]) => `${name}=${toText(value)}`);
  const words = [clock, (pino.levels.labels[Number(level)] ?? '').padEnd(5), String(msg), ...facts];
  return `${escapeCharacters(words.join(' '), CONTROL_CHARACTER)}\n`;
}

/** A terminal would interpret control characters. */
const CONTROL_CHARACTER = /\p{Cc}/gu;

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface Fields {
  readonly worker?: number | undefined;
  readonly cause?: unknown;
}

/** Where the log goes. A logger decides by itself which levels it writes. */
export type Logging =
  | {
      readonly output: { write(line: string): unknown };
      readonly readable: boolean;
      /** The number of the worker, which each line says. Undefined: there is one process. */
      readonly worker?: number | undefined;
    }
  | { readonly logger: Log };

type LoggerOptions = Logging & {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
};

/**
 * Logs rejected requests, rate limited per kind so that a flood of invalid requests does not flood the log: only the
 * first of a kind in each interval are written, and a summary at its end counts the rest.
 */
export function createRejectedRequestLog({ log, schedule }: RejectedRequestLogOptions) {
  // Bounded, because there are few codes.
  let kinds = new Map<string, Pick<RejectedRequest, 'status' | 'code'> & { count: number }>();
  const summary = runPeriodically({
    intervalMs: SUMMARY_EVERY_MS,
    work: async () => tellLeftOut(),
    onError: (cause) => log.warn({ cause }, 'failed to log rejected requests'),
    schedule,
  });

  return {
    write(refusal: RejectedRequest): void {
      const { status, code } = refusal;
      const key = `${status} ${code}`;
      const kind = kinds.get(key) ?? { status, code, count: 0 };
      kinds.set(key, kind);
      kind.count += 1;
      if (kind.count <= MOST_LINES) log.info(toRejectedLine(refusal), 'refused');
    },
    /** Writes the outstanding summary. */
    async close(): Promise<void> {
      await summary.stop();
      tellLeftOut();
    },
  };

  function tellLeftOut(): void {
    for (const { status, code, count } of kinds.values())
      if (count > MOST_LINES) log.warn({ status, code, leftOut: count - MOST_LINES }, 'refused');
    kinds = new Map();
  }
}

function toRejectedLine({ status, code, errorId, headers }: RejectedRequest): object {
  return {
    requestId: headers && readRequestId(headers.get('x-request-id')),
    // Only the caller's trace id: no span is made for a rejected request.
    traceId: headers && readTraceContext(headers.get('traceparent')).parent?.traceId,
    status,
    code,
    errorId,
  };
}

const SUMMARY_EVERY_MS = 10_000;
const MOST_LINES = 10;

interface RejectedRequestLogOptions extends Pick<PeriodicTaskOptions, 'schedule'> {
  readonly log: Log;
}
