import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createLossyOutput } from '../../src/lib/output.ts';

test('lines that cannot be written are counted, do not end the process, and the next line is tried', () => {
  const written: string[] = [];
  let broken: Error | undefined;
  const stream = Object.assign(new EventEmitter(), {
    write(text: string, done: (error?: Error) => void) {
      if (!broken) written.push(text);
      else stream.emit('error', broken);
      done(broken);
    },
  });
  const output = createLossyOutput(stream as never);
  output.write('a\n');
  broken = new Error('write EPIPE');
  output.write('b\nc\n');
  broken = undefined;
  output.write('d\n');
  expect(output.countLost()).toBe(2);
  expect(written).toEqual(['a\n', 'd\n']);
});
