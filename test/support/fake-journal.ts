import type { CrossbookError } from '../../src/domain/errors.ts';
import type { Journal, Notes, ProviderCall } from '../../src/domain/journal.ts';
import { UNCOUNTED } from '../../src/domain/work-permit.ts';

/** A journal that can be read. */
export function createFakeJournal(): FakeJournal {
  const notes: Notes[] = [];
  const errors: CrossbookError[] = [];
  const calls: ProviderCall[] = [];
  return {
    caller: undefined,
    admission: undefined,
    permit: UNCOUNTED,
    notes,
    errors,
    calls,
    note: (note) => void notes.push(note),
    failed: (error) => void errors.push(error),
    called: (call) => void calls.push(call),
    operation: (_name, work) => work(),
    timed: (_name, work) => work(),
  };
}

export interface FakeJournal extends Journal {
  readonly notes: readonly Notes[];
  readonly errors: readonly CrossbookError[];
  readonly calls: readonly ProviderCall[];
}
