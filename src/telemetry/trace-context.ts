import { randomBytes } from 'node:crypto';

const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const SAMPLED = 1;

/** The trace that a request belongs to (W3C Trace Context): the caller's, or one that begins here. */
export function readTraceContext(traceparent: string | null): TraceContext {
  const [, traceId, parentId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (!traceId) return { traceId: randomBytes(16).toString('hex'), parentId: undefined, isSampled: true };
  return { traceId, parentId, isSampled: (Number.parseInt(flags ?? '0', 16) & SAMPLED) === SAMPLED };
}

export function createSpanId(): string {
  return randomBytes(8).toString('hex');
}

export interface TraceContext {
  readonly traceId: string;
  /** The caller's span. */
  readonly parentId: string | undefined;
  /** False: the caller does not want it recorded. */
  readonly isSampled: boolean;
}
