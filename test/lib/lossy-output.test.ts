import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
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

test('a log that nobody reads takes at most some megabytes, and every line beyond is counted as lost', async () => {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  const stream = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const [reader] = (await accepted) as [Socket];
  const output = createLossyOutput(stream as never);
  const line = `${'x'.repeat(64 * 1024 - 1)}\n`;
  for (let lines = 0; lines < 1_024; lines += 1) output.write(line);
  expect(stream.writableLength).toBeLessThan(4 * 1024 * 1024 + line.length + 1);
  expect(output.countLost()).toBeGreaterThan(512);
  // The reader is back: lines are written again.
  const lost = output.countLost();
  reader.resume();
  await once(stream, 'drain');
  output.write('again\n');
  expect(output.countLost()).toBe(lost);
  stream.destroy();
  reader.destroy();
  server.close();
});
