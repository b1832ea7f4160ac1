import { BACKGROUND_WORK, type Releasable, type RequestWork } from '../../src/admission/work.ts';

/** The work of a request whose client disconnects, and which ends, when the test says so. */
export function createFakeWork(): FakeWork {
  const client = new AbortController();
  const kept: Releasable[] = [];
  return {
    ...BACKGROUND_WORK,
    signal: client.signal,
    keep: (hold) => void kept.push(hold),
    disconnect: () => client.abort(new Error('The client has disconnected.')),
    end() {
      for (const hold of kept.splice(0)) hold.release();
    },
  };
}

export interface FakeWork extends RequestWork {
  disconnect(): void;
  end(): void;
}
