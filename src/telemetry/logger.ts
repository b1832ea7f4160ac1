import { pino } from 'pino';
import type { Log } from '../domain/log.ts';
import { toReadableLine } from './readable-line.ts';

/** JSON lines for machines; short lines where a person is looking. */
export function createLogger({ level, output, readable }: LoggerOptions): Log {
  const options = { level, base: null, serializers: { cause: toLoggedCause } };
  if (!readable) return pino(options, output);
  return pino(options, { write: (line: string) => output.write(toReadableLine(line)) });
}

/** A bug's stack is what the log is for; an object that was thrown is told as text, without its insides. */
function toLoggedCause(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

export interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  readonly output: { write(line: string): unknown };
  readonly readable: boolean;
}
