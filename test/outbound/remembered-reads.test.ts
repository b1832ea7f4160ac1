import { expect, test } from 'vitest';
import { RememberedReads } from '../../src/outbound/remembered-reads.ts';

test('what was read is remembered for an hour, and read again once for all who want it newer', async () => {
  let now = 0;
  let reads = 0;
  const remembered = new RememberedReads({ now: () => now });
  const read = (maxAgeMs?: number) =>
    remembered.read('pipelines', async () => ({ number: ++reads }), maxAgeMs);
  expect(await read()).toEqual({ number: 1 });
  now += 10_000;
  expect(await read(10_000)).toEqual({ number: 1 });
  now += 1;
  const newer = await Promise.all([read(10_000), read(10_000), read(10_000), read()]);
  expect(newer.slice(0, 3)).toEqual([{ number: 2 }, { number: 2 }, { number: 2 }]);
  // It is new for all others, too.
  expect(await read()).toEqual({ number: 2 });
  now += 60 * 60_000;
  expect(await read()).toEqual({ number: 3 });
});

test('a read that failed is not remembered, and leaves nothing behind that is too old', async () => {
  let now = 0;
  const remembered = new RememberedReads({ now: () => now });
  await remembered.read('owners', async () => ({ number: 1 }));
  now += 1_000;
  const failing = remembered.read('owners', () => Promise.reject(new Error('away')), 500);
  await expect(failing).rejects.toThrow('away');
  expect(await remembered.read('owners', async () => ({ number: 2 }))).toEqual({ number: 2 });
});
