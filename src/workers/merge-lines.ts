import type { Readable } from 'node:stream';

/** Passes on whole lines of a process's output, so that lines of several processes do not mix. */
export function mergeLines(source: Readable, write: (text: string) => void): void {
  let rest = '';
  source.setEncoding('utf8');
  source.on('data', (text: string) => {
    const end = text.lastIndexOf('\n') + 1;
    if (end === 0) rest += text;
    else {
      write(rest + text.slice(0, end));
      rest = text.slice(end);
    }
    if (rest.length > MAX_LINE) flush();
  });
  source.once('close', flush);
  source.on('error', () => undefined);

  /** What a process that was killed has left, and what is too long. */
  function flush(): void {
    if (rest !== '') write(`${rest}\n`);
    rest = '';
  }
}

/** Longer than any line that we write. */
const MAX_LINE = 1024 * 1024;
