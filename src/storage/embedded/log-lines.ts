import type { Readable } from 'node:stream';
import type { EmbeddedLog } from './start.ts';

export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
  });
}

/** PostgreSQL's LOG is routine; a statement's ERROR is not written by the server, because it may quote what is stored. */
export function passOn(line: string, log: EmbeddedLog): void {
  const [, severity, message = line] = /^([A-Z]+):\s+(.*)$/.exec(line) ?? [];
  if (severity !== 'LOG') log('warn', message);
}
