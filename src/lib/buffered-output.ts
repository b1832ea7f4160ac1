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

interface Output {
  write(text: string): unknown;
}
