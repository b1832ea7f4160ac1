/**
 * A stream whose reader may die, and whose disk may be full. What cannot be written is dropped, and counted by line; the
 * next write is tried again.
 */
export function createLossyOutput(stream: Stream): LossyOutput {
  let lost = 0;
  // Each write is told of its own failure. An event without a listener would end the process.
  stream.on('error', () => undefined);
  return {
    write(text) {
      stream.write(text, (error) => {
        if (error) lost += text.split('\n').length - 1;
      });
    },
    countLost: () => lost,
  };
}

type Stream = Pick<NodeJS.WriteStream, 'write' | 'on'>;

export interface LossyOutput {
  write(text: string): void;
  /** Lines, so far. */
  countLost(): number;
}
