import { expect, test } from 'vitest';
import { BACKGROUND_WORK, shareWork } from '../../src/admission/work.ts';
import { Signal } from '../../src/lib/signal.ts';

test('a shared call counts for the first request, and for the next one when its client has disconnected', () => {
  const [first, second] = [createWork(), createWork()];
  const shared = shareWork([first, second]);
  void shared.read(1);
  first.signal.abort();
  void shared.read(2);
  expect([first.counted, second.counted]).toEqual([[1], [2]]);
});

test('a shared call counts for a request that has a heavy place, so that it need not wait for one', () => {
  const [light, heavy] = [createWork(), createWork({ isHeavy: true })];
  void shareWork([light, heavy]).read(1);
  expect([light.counted, heavy.counted]).toEqual([[], [1]]);
});

test('a shared call is aborted when the clients of all its requests have disconnected', () => {
  const [first, second] = [createWork(), createWork()];
  const { signal } = shareWork([first, second]);
  first.signal.abort();
  expect(signal?.isAborted).toBe(false);
  second.signal.abort();
  expect(signal?.isAborted).toBe(true);
});

function createWork({ isHeavy = false } = {}) {
  const counted: number[] = [];
  return {
    ...BACKGROUND_WORK,
    signal: new Signal(),
    isHeavy,
    counted,
    read(bytes: number) {
      counted.push(bytes);
      return undefined;
    },
  };
}
