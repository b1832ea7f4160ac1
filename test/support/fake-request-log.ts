import type { Caller } from '../../src/domain/caller.ts';
import type { CrossbookError } from '../../src/domain/errors.ts';
import type { ProviderCall, RequestFields, RequestLog } from '../../src/domain/log.ts';
import type { RequestState } from '../../src/domain/request-state.ts';

/** A request log that can be read. */
export function createFakeRequestLog(): FakeRequestLog {
  const notes: RequestFields[] = [];
  const errors: CrossbookError[] = [];
  const calls: ProviderCall[] = [];
  return {
    notes,
    errors,
    calls,
    record: (fields) => void notes.push(fields),
    failed: (error) => void errors.push(error),
    called: (call) => void calls.push(call),
    operation: (_name, work) => work(),
    withSpan: (_name, work) => work(),
  };
}

/** The state of a request whose log can be read. */
export function createFakeRequestState(
  requestLog = createFakeRequestLog(),
  caller?: Caller,
): RequestState {
  return { caller, rateLimit: undefined, cost: 0, operator: undefined, requestLog };
}

export interface FakeRequestLog extends RequestLog {
  readonly notes: readonly RequestFields[];
  readonly errors: readonly CrossbookError[];
  readonly calls: readonly ProviderCall[];
}
