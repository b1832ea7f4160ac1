import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { mergeLines } from '../../src/workers/merge-lines.ts';
import { settle } from '../support/clock.ts';

test('lines of several processes stay whole, however their bytes arrive', async () => {
  const written: string[] = [];
  const [first, second] = [new PassThrough(), new PassThrough()];
  for (const source of [first, second]) mergeLines(source, (text) => written.push(text));
  const letter = Buffer.from('é');
  first.write('{"worker":1,"msg":"h');
  await settle();
  second.write('{"worker":2}\n{"wor');
  await settle();
  first.write(letter.subarray(0, 1));
  await settle();
  first.write(letter.subarray(1));
  first.write('"}\n');
  await settle();
  second.end('ker":2}\n');
  await settle();
  expect(written).toEqual(['{"worker":2}\n', '{"worker":1,"msg":"hé"}\n', '{"worker":2}\n']);
});

test('the line that a killed process has begun is written as a line', async () => {
  const written: string[] = [];
  const source = new PassThrough();
  mergeLines(source, (text) => written.push(text));
  source.write('whole\nbeg');
  await settle();
  source.destroy();
  await settle();
  expect(written).toEqual(['whole\n', 'beg\n']);
});

test('text without a line end is written before it takes much memory', async () => {
  let bytes = 0;
  const source = new PassThrough();
  mergeLines(source, (text) => {
    bytes += text.length;
  });
  for (let piece = 0; piece < 40; piece += 1) {
    source.write('x'.repeat(64 * 1024));
    await settle();
  }
  expect(bytes).toBeGreaterThan(2_000_000);
});
