/**
 * Lines on their way out, many at once: to write each by itself costs more than to make it. None waits for longer than
 * a moment, and what waits when the process ends is written before it does.
 */
export function createBulkOutput(output: Output): Output {
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  process.on('exit', flush);

  return {
    write(line) {
      waiting += line;
      if (waiting.length >= MOST) flush();
      else timer ??= setTimeout(flush, MOMENT_MS);
    },
  };

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === '') return;
    const lines = waiting;
    waiting = '';
    output.write(lines);
  }
}

const MOMENT_MS = 50;
const MOST = 32 * 1024;

interface Output {
  write(text: string): unknown;
}
