import { inspect } from 'node:util';

/**
 * Buffers log lines, because one write per line costs more than making it. Lines wait for a moment at most, and the
 * buffer is flushed when the process exits.
 */
export function createBufferedOutput(output: Output): Output {
  // Joined when written: appending to one string would build a deep rope.
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
 * Wraps a stream whose reader may exit or be slow, or whose disk may be full. Lines that cannot be written, or that
 * come while too many bytes are unread, are dropped and counted; the next write is tried again.
 */
export function createLossyOutput(stream: LossyStream) {
  let lost = 0;
  // Each write reports its own failure. An error event without a listener would end the process.
  stream.on('error', () => undefined);
  return {
    write(text: string): void {
      const lines = text.split('\n').length - 1;
      if (stream.writableLength > MAX_UNREAD_BYTES) lost += lines;
      else
        stream.write(text, (error) => {
          if (error) lost += lines;
        });
    },
    /** The number of lost lines. */
    countLost: () => lost,
  };
}

/** Some seconds of log under load: enough for a reader that pauses, and little of the heap. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

type LossyStream = Pick<NodeJS.WriteStream, 'write' | 'on' | 'writableLength'>;

/** Shows the progress of a start: in a terminal, one line that the next output replaces. */
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
    /** Clears the line for other output. */
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

/**
 * The message of a thrown value: of an error without a message its code or name, of other values their printed form.
 */
export function toReason(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  if (!(thrown instanceof Error))
    return inspect(thrown, { depth: 1, breakLength: Number.POSITIVE_INFINITY });
  const code = 'code' in thrown && thrown.code;
  return thrown.message || (code ? String(code) : thrown.name);
}
