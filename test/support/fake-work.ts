import { BACKGROUND_WORK, type RequestWork } from '../../src/admission/work.ts';
import { Signal } from '../../src/lib/signal.ts';

/** The work of a request whose client disconnects when the test says so. */
export function createFakeWork(): FakeWork {
  const signal = new Signal();
  return { ...BACKGROUND_WORK, signal, disconnect: () => signal.abort() };
}

export interface FakeWork extends RequestWork {
  disconnect(): void;
}
