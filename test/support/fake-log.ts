import type { Log } from '../../src/domain/log.ts';

/** A log whose lines can be read. */
export function createFakeLog(): FakeLog {
  const lines: LogLine[] = [];
  return {
    lines,
    info: (fields, message) => void lines.push({ level: 'info', fields, message }),
    warn: (fields, message) => void lines.push({ level: 'warn', fields, message }),
    error: (fields, message) => void lines.push({ level: 'error', fields, message }),
  };
}

export interface FakeLog extends Log {
  readonly lines: LogLine[];
}

interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly fields: object;
  readonly message: string;
}
