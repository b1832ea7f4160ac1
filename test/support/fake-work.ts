import { type Releasable, type RequestWork, UNMETERED_WORK } from '../../src/admission/work.ts';
import { Signal } from '../../src/lib/signal.ts';

/** The work of a request whose client disconnects, and which ends, when the test says so. */
export function createFakeWork(): FakeWork {
  const signal = new Signal();
  const kept: Releasable[] = [];
  return {
    ...UNMETERED_WORK,
    signal,
    keep: (hold) => void kept.push(hold),
    disconnect: () => signal.abort(),
    end() {
      for (const hold of kept.splice(0)) hold.release();
    },
  };
}

export interface FakeWork extends RequestWork {
  disconnect(): void;
  end(): void;
}
