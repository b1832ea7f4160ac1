import { expect, test } from 'vitest';
import { Chunks } from '../../src/lib/chunks.ts';

const CHUNK = Buffer.alloc(64 * 1024, 'x');

test('chunks are joined with a turn before each, and are no longer held afterwards', async () => {
  const chunks = new Chunks();
  for (let index = 0; index < 5; index += 1) chunks.add(CHUNK);
  let turns = 0;
  const joined = await chunks.join(async () => {
    turns += 1;
  });
  expect(turns).toBe(5);
  expect(joined.equals(Buffer.concat(Array(5).fill(CHUNK)))).toBe(true);
  expect(chunks.list).toEqual([joined]);
});

test('a single chunk is not copied', async () => {
  const chunks = new Chunks(CHUNK);
  expect(await chunks.join(() => undefined)).toBe(CHUNK);
});
