import type { Headers } from './http.ts';

/** Something that goes wrong with an answer, whichever the CRM. */
export type Fault =
  /** This instead of the real answer. A string is sent as it is (HTML unless a content-type says so), the rest as JSON. */
  | { readonly kind: 'answer'; readonly status: number; readonly body?: unknown; readonly headers?: Headers }
  /** The request is taken, and nothing is ever sent. */
  | { readonly kind: 'hang' }
  /** Headers and half of the body, and then nothing. */
  | { readonly kind: 'stall' }
  | { readonly kind: 'slow'; readonly delayMs: number }
  /** The connection is reset: before anything was sent, or in the middle of the body. */
  | { readonly kind: 'reset' }
  | { readonly kind: 'reset-midway' }
  /** A complete HTTP answer whose JSON ends in the middle. */
  | { readonly kind: 'truncated' }
  /** The real answer with its lists emptied, or with the second half of them gone. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'partial' }
  /** A JSON body that is far too long, plain or as a small compressed one. */
  | { readonly kind: 'oversized'; readonly megabytes: number }
  | { readonly kind: 'gzip-bomb'; readonly megabytes: number }
  /** This status, and everything that was sent: the token of the header, the secrets of the form. */
  | { readonly kind: 'echo'; readonly status: number }
  /** The real answer as HTTP/1.0 has it: without a length, ended by closing the connection. */
  | { readonly kind: 'http-1.0' }
  /** The real answer, and the connection is closed after it. */
  | { readonly kind: 'closing' }
  /** The real answer, headers and all, byte by byte. */
  | { readonly kind: 'dripping' };

/** What can happen to any CRM, by name. */
export const COMMON_FAULTS: Readonly<Record<string, Fault>> = {
  'token-echoed': { kind: 'echo', status: 400 },
  'token-echoed-in-a-200': { kind: 'echo', status: 200 },
  'refresh-echoed': { kind: 'echo', status: 400 },
  'http-1.0': { kind: 'http-1.0' },
  closing: { kind: 'closing' },
  dripping: { kind: 'dripping' },
};

/** Some say a time of day: they are made when they are ordered. */
export type NamedFault = Fault | ((now: number) => Fault);

/** Faults in waiting: the first that fits a call is used up by it. */
export function createFaultQueue(): FaultQueue {
  let rules: Rule[] = [];
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
    },
  };
}

export interface FaultQueue {
  add(fault: Fault, when?: FaultTiming): void;
  take(operation: string): Fault | undefined;
  clear(): void;
}

export interface FaultTiming {
  /** How many calls it meets; 1 unless told. */
  readonly times?: number | undefined;
  /** How many fitting calls go well first. */
  readonly after?: number | undefined;
  /** Only calls of this operation. */
  readonly operation?: string | undefined;
}

interface Rule {
  readonly fault: Fault;
  readonly operation: string | undefined;
  times: number;
  after: number;
}
