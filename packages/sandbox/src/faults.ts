import type { Headers } from './http.ts';

/** A fault of a response that any CRM can have. */
export type Fault =
  /**
   * Replaces the response. A string is sent unchanged (as HTML unless there is a content type), anything else as
   * JSON.
   */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Headers;
    }
  /** The request is accepted, and no response is ever sent. */
  | { readonly kind: 'hang' }
  /** The request is carried out, and no response is ever sent, or the connection is reset instead. */
  | { readonly kind: 'hang-after' }
  | { readonly kind: 'reset-after' }
  /** Sends headers and half of the body, and then stalls. */
  | { readonly kind: 'stall' }
  /** The real response after this delay, or as soon as the faults are removed. */
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** Resets the connection: before the response, or within the body. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'reset-midway' }
  /** A complete HTTP response whose JSON is truncated. */
  | { readonly kind: 'truncated' }
  /** The real response with its lists emptied, or with the second half of them removed. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'partial' }
  /** An oversized JSON body, plain or compressed (gzip bomb). */
  | { readonly kind: 'oversized'; readonly megabytes: number }
  | { readonly kind: 'gzip-bomb'; readonly megabytes: number }
  /** Responds with this status and echoes the request: the token of the header, the secrets of the form. */
  | { readonly kind: 'echo'; readonly status: number }
  /** The real response as HTTP/1.0: without Content-Length, ended by closing the connection. */
  | { readonly kind: 'http-1.0' }
  /** The real response, with `connection: close`. */
  | { readonly kind: 'closing' }
  /** The real response, including headers, byte by byte. */
  | { readonly kind: 'dripping' };

/** The named faults of every CRM. */
export const COMMON_FAULTS: Readonly<Record<string, Fault>> = {
  'token-echoed': { kind: 'echo', status: 400 },
  'token-echoed-in-a-200': { kind: 'echo', status: 200 },
  'refresh-echoed': { kind: 'echo', status: 400 },
  'http-1.0': { kind: 'http-1.0' },
  closing: { kind: 'closing' },
  dripping: { kind: 'dripping' },
};

/** Some contain a time of day, so they are built when they are queued. */
export type NamedFault = Fault | ((now: number) => Fault);

/** The queue of faults: each call takes the first one that matches. */
export function createFaultQueue(): FaultQueue {
  let rules: Rule[] = [];
  const listeners = new Set<() => void>();
  return {
    add(fault, { times = 1, after = 0, operation } = {}) {
      rules.push({ fault, times, after, operation });
    },
    take(operation) {
      const rule = rules.find((one) => one.operation === undefined || one.operation === operation);
      if (rule === undefined) return undefined;
      if (rule.after > 0) {
        rule.after -= 1;
        return undefined;
      }
      rule.times -= 1;
      if (rule.times <= 0) rules = rules.filter((one) => one !== rule);
      return rule.fault;
    },
    clear() {
      rules = [];
      for (const listener of listeners) listener();
    },
    onClear(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

export interface FaultQueue {
  add(fault: Fault, when?: FaultTiming): void;
  take(operation: string): Fault | undefined;
  clear(): void;
  /** Calls back each time that the faults are removed. The returned function ends that. */
  onClear(listener: () => void): () => void;
}

export interface FaultTiming {
  /** How many calls it affects; defaults to 1. */
  readonly times?: number | undefined;
  /** How many matching calls succeed first. */
  readonly after?: number | undefined;
  /** Affects only calls of this operation. */
  readonly operation?: string | undefined;
}

interface Rule {
  readonly fault: Fault;
  readonly operation: string | undefined;
  times: number;
  after: number;
}
