import type { WorkPermit } from '../../src/domain/resources.ts';

/** A request permit whose client disconnects when the test says so. */
export function createFakePermit(): FakePermit {
  const callbacks = new Set<() => void>();
  const kept: { release(): void }[] = [];
  let paused = 0;
  let isGone = false;
  let hasEnded = false;
  return {
    pause() {
      paused++;
      return () => {
        paused--;
        return undefined;
      };
    },
    takeTurn: () => undefined,
    countNotBegun: () => 0,
    whenGone(callback) {
      if (isGone) callback();
      else callbacks.add(callback);
      return () => callbacks.delete(callback);
    },
    keep: (hold) => (hasEnded ? hold.release() : void kept.push(hold)),
    paused: () => paused,
    listening: () => callbacks.size,
    go() {
      isGone = true;
      for (const callback of [...callbacks]) callback();
    },
    end() {
      hasEnded = true;
      for (const hold of kept.splice(0)) hold.release();
    },
  };
}

export interface FakePermit extends WorkPermit {
  /** How many waits have paused it. */
  paused(): number;
  listening(): number;
  go(): void;
  end(): void;
}
