import { inspect } from 'node:util';

/**
 * Lines on their way out, many at once: to write each by itself costs more than to make it. None waits for longer than
 * a moment, and what waits when the process ends is written before it does.
 */
export function createBufferedOutput(output: Output): Output {
  // Joined when they are written: text that grows bit by bit is a tree of all its bits.
  let waiting: string[] = [];
  let length = 0;
  let timer: NodeJS.Timeout | undefined;
  process.on('exit', flush);

  return {
    write(line) {
      waiting.push(line);
      length += line.length;
      if (length >= MOST) flush();
      else timer ??= setTimeout(flush, MOMENT_MS);
    },
  };

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (length === 0) return;
    const text = waiting.join('');
    waiting = [];
    length = 0;
    output.write(text);
  }
}

const MOMENT_MS = 50;
const MOST = 32 * 1024;

/**
 * A stream whose reader may die, and whose disk may be full. What cannot be written is dropped, and counted by line; the
 * next write is tried again.
 */
export function createLossyOutput(stream: Pick<NodeJS.WriteStream, 'write' | 'on'>) {
  let lost = 0;
  // Each write is told of its own failure. An event without a listener would end the process.
  stream.on('error', () => undefined);
  return {
    write(text: string): void {
      stream.write(text, (error) => {
        if (error) lost += text.split('\n').length - 1;
      });
    },
    /** Lines, so far. */
    countLost: () => lost,
  };
}

/**
 * Says what a start is busy with: in a terminal in one line that the next step, or whatever else is written, replaces.
 */
export function createStartOutput(output: Output, isTerminal: boolean) {
  let isShown = false;
  const endStep = () => {
    if (isShown) output.write(CLEAR_LINE);
    isShown = false;
  };
  return {
    step(text: string): void {
      if (isTerminal) output.write(`${CLEAR_LINE}  ${text} …`);
      else output.write(`  ${text} …\n`);
      isShown = isTerminal;
    },
    /** Leaves the line empty, for what others write. */
    endStep,
    write(text: string): void {
      endStep();
      output.write(text);
    },
  };
}

const CLEAR_LINE = '\r\u001b[2K';

interface Output {
  write(text: string): unknown;
}

/** The message of what was thrown. An error without one gives its code or name, any other value its printed form. */
export function toReason(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  if (!(thrown instanceof Error)) return inspect(thrown, { depth: 1, breakLength: Number.POSITIVE_INFINITY });
  const code = 'code' in thrown && thrown.code;
  return thrown.message || (code ? String(code) : thrown.name);
}
