import type { Clock } from '../lib/clock.ts';
import type { TraceContext } from './request-log.ts';

/** The spans of one request. They are its own until it ends: then they are told all at once. */
export function createSpans({ trace, clock, createSpanId, onEnd }: SpansOptions): Spans {
  const root = createSpanId();
  // A step of the wall clock on the way makes no span longer or shorter.
  const offset = clock.wall() - clock.now();
  const now = () => offset + clock.now();
  const startedAt = now();
  const done: Span[] = [];
  // Several at once (a batch) leave it open which one a call is for: then it is the request's.
  const operations = new Set<string>();

  return {
    operation: (name, work) => during('operation', { name, work }),
    withSpan: (name, work) => during('use case', { name, work }),
    called({ ms, ...call }) {
      const end = now();
      add({ ...call, id: createSpanId(), parentId: parent(), kind: 'client', start: end - ms, end });
    },
    end(request) {
      const { traceId, parentId } = trace;
      const span: Span = {
        ...request,
        traceId,
        id: root,
        parentId,
        kind: 'server',
        start: startedAt,
        end: now(),
      };
      onEnd([span, ...done]);
    },
  };

  async function during<T>(kind: 'operation' | 'use case', { name, work }: Work<T>): Promise<T> {
    const id = createSpanId();
    const span = { id, parentId: parent(), name, kind: 'internal', start: now() } as const;
    if (kind === 'operation') operations.add(id);
    let failed = true;
    try {
      const result = await work();
      failed = false;
      return result;
    } finally {
      operations.delete(id);
      add({ ...span, end: now(), failed, attributes: { 'crossbook.kind': kind } });
    }
  }

  function parent(): string {
    const [only, another] = operations;
    return only !== undefined && another === undefined ? only : root;
  }

  function add(span: Omit<Span, 'traceId'>): void {
    if (done.length < MAX_SPANS) done.push({ ...span, traceId: trace.traceId });
  }
}

/** Of one request: an operation over a thousand records does not fill a collector. */
const MAX_SPANS = 256;

export interface Spans {
  operation<T>(name: string, work: () => Promise<T>): Promise<T>;
  withSpan<T>(name: string, work: () => Promise<T>): Promise<T>;
  called(call: Told & { readonly ms: number }): void;
  end(request: Told): void;
}

export interface Span extends Told {
  readonly traceId: string;
  readonly id: string;
  readonly parentId: string | undefined;
  readonly kind: 'server' | 'client' | 'internal';
  /** Milliseconds since 1970, with fractions. */
  readonly start: number;
  readonly end: number;
}

interface Told {
  readonly name: string;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
}

interface Work<T> {
  readonly name: string;
  readonly work: () => Promise<T>;
}

interface SpansOptions {
  createSpanId(): string;
  readonly trace: TraceContext;
  readonly clock: Pick<Clock, 'now' | 'wall'>;
  onEnd(spans: readonly Span[]): void;
}
