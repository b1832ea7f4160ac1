import { randomFillSync } from 'node:crypto';

const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const SAMPLED = 1;

/** The trace that a request belongs to (W3C Trace Context): the caller's, or one that begins here. */
export function readTraceContext(traceparent: string | null): TraceContext {
  const [, traceId, parentId, flags] = (traceparent !== null && TRACEPARENT.exec(traceparent)) || NONE;
  if (!traceId) return { traceId: createId(16), parentId: undefined, isSampled: true };
  return { traceId, parentId, isSampled: (Number.parseInt(flags ?? '0', 16) & SAMPLED) === SAMPLED };
}

export function createSpanId(): string {
  return createId(8);
}

/** Random bytes are drawn many at a time: to draw is what costs. */
function createId(bytes: number): string {
  if (offset + bytes > pool.length) {
    randomFillSync(pool);
    offset = 0;
  }
  offset += bytes;
  return pool.toString('hex', offset - bytes, offset);
}

const pool = Buffer.alloc(4_096);
let offset = pool.length;
const NONE: readonly undefined[] = [];

export interface TraceContext {
  readonly traceId: string;
  /** The caller's span. */
  readonly parentId: string | undefined;
  /** False: the caller does not want it recorded. */
  readonly isSampled: boolean;
}
