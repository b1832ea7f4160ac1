import { pino } from 'pino';
import type { Log, RejectedRequest } from '../domain/log.ts';
import { type PeriodicTaskOptions, runPeriodically } from '../lib/clock.ts';
import { readRequestId, readTraceContext } from './request-log.ts';

/** JSON lines for machines; short lines where a person is looking. */
export function createLogger({ level, output, readable }: LoggerOptions): Log {
  const write = (line: string) => output.write(readable ? toReadableLine(line) : line);
  return Object.assign(pino({ level }, { write }), { [pino.symbols.asJsonSym]: toLine });
}

/**
 * In place of pino's own way from fields to a line, which is made for whatever anybody may log. Ours are plain data, and
 * for these the engine's JSON takes a quarter of the time: of a request that finds one contact, pino's way was a tenth.
 */
function toLine(fields: Fields, msg: string, level: number, time: string): string {
  const { cause } = fields;
  const facts = JSON.stringify(cause === undefined ? fields : { ...fields, cause: toLoggedCause(cause) });
  // pino hands the time over as the part of a line that it is.
  const head = `{"level":${level}${time},"msg":${JSON.stringify(msg)}`;
  return facts === '{}' ? `${head}}\n` : `${head},${facts.slice(1)}\n`;
}

/** A bug's stack is what the log is for; an object that was thrown is told as text, without its insides. */
function toLoggedCause(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

const LEVELS: Readonly<Record<string, string>> = { 20: 'debug', 30: 'info', 40: 'warn', 50: 'error' };

/** A JSON log line as a person at a terminal wants to read it. */
export function toReadableLine(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = typeof time === 'number' ? new Date(time).toISOString().slice(11, 23) : '';
  const facts = Object.entries(fields).map(([name, value]) => `${name}=${toText(value)}`);
  const words = [clock, (LEVELS[String(level)] ?? '').padEnd(5), String(msg), ...facts];
  return `${words.join(' ').replace(CONTROL_CHARACTER, toEscape)}\n`;
}

/** A terminal would obey it. */
const CONTROL_CHARACTER = /\p{Cc}/gu;

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface Fields {
  readonly cause?: unknown;
}

export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly output: { write(line: string): unknown };
  readonly readable: boolean;
}

/**
 * One line for each refusal while they are few. Whoever floods us with nonsense does not flood the log: of one kind only
 * the first in each while are written, and one line at its end says how many were left out.
 */
export function createRejectedRequestLog({ log, schedule }: RejectedRequestLogOptions) {
  // The codes are few: so are these.
  let kinds = new Map<string, Pick<RejectedRequest, 'status' | 'code'> & { count: number }>();
  const summary = runPeriodically({
    intervalMs: SUMMARY_EVERY_MS,
    work: async () => tellLeftOut(),
    onError: (cause) => log.warn({ cause }, 'refusals were not told'),
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
    /** Tells what is still to be told. */
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

function toRejectedLine({ status, code, errorId, arrival }: RejectedRequest): object {
  if (!arrival) return { status, code, errorId };
  return {
    requestId: readRequestId(arrival.requestId),
    // One that begins here leads nowhere.
    traceId: readTraceContext(arrival.traceparent).parent?.traceId,
    ...{ status, code, errorId },
  };
}

const SUMMARY_EVERY_MS = 10_000;
const MOST_LINES = 10;

interface RejectedRequestLogOptions extends Pick<PeriodicTaskOptions, 'schedule'> {
  readonly log: Log;
}
