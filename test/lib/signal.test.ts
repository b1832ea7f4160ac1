import { describe, expect, test, vi } from 'vitest';
import { Signal } from '../../src/lib/signal.ts';

describe('a signal', () => {
  test('calls each listener once, and at once those that come later', () => {
    const signal = new Signal();
    const [early, late] = [vi.fn<() => void>(), vi.fn<() => void>()];
    signal.add(early);
    expect(early).not.toHaveBeenCalled();
    signal.abort();
    signal.abort();
    signal.add(late);
    expect(signal.isAborted).toBe(true);
    for (const listener of [early, late]) expect(listener).toHaveBeenCalledOnce();
  });

  test('does not call a listener that was removed, even by another one', () => {
    const signal = new Signal();
    const removed = vi.fn<() => void>();
    signal.add(() => signal.remove(removed));
    signal.add(removed);
    signal.abort();
    expect(removed).not.toHaveBeenCalled();
  });
});
