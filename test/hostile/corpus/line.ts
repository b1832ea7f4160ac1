import type { Caller } from '../target/open-target.ts';
import type { Operation } from '../target/send.ts';

/** Documents of one kind: who sends them, by which transports, and the expected response. */
export interface DocumentKind {
  readonly kind: string;
  readonly as: readonly Caller[];
  readonly ways: readonly Way[];
  readonly gets: Gets;
  /** By a description of the content. */
  readonly lines: Readonly<Record<string, Sends | Expecting>>;
}

/** What one line sends. A function gets the target's data. */
export type Sends = Sent | ((facts: Facts) => Sent);

/** A line with another expectation than its kind. */
export interface Expecting {
  readonly gets: Gets;
  readonly sends: Sends;
}

/** A document, an operation, or JSON that is neither. */
export type Sent = string | Operation | readonly unknown[];

/** A batch of ten, or a single request by POST or GET. By GET only what fits into a URL. */
export type Way = 'POST' | 'GET' | 'batch';

export interface Facts {
  /** Global ids of a thousand contacts of the demo customer. */
  readonly ids: readonly string[];
  /** The global id of the neighbour's customer. */
  readonly foreignId: string;
}

export interface Gets {
  readonly status: readonly number[];
  /** Matches the code of every error. */
  readonly codes?: RegExp;
  /** Data without any error. */
  readonly complete?: boolean;
  readonly maxBytes?: number;
  /** What the response must contain, or must not. */
  readonly has?: RegExp;
  readonly hasNot?: RegExp;
}

export const PASSES: Gets = { status: [200], complete: true };
/** May be too much: then it is rejected with an error. Otherwise the maximum response size applies. */
export const BOUNDED: Gets = {
  status: [200, 400, 401, 405, 413],
  codes: /^(BAD_REQUEST|PAYLOAD_TOO_LARGE|UNAUTHORIZED|METHOD_NOT_ALLOWED)$/,
};
export const REFUSED: Gets = {
  status: [400, 413],
  codes: /^(BAD_REQUEST|PAYLOAD_TOO_LARGE)$/,
  maxBytes: 64 * 1024,
};
export const UNAUTHORIZED: Gets = { status: [401], codes: /^UNAUTHORIZED$/, maxBytes: 16 * 1024 };

/** This many of them, separated by spaces. */
export function many(count: number, write: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => write(n)).join(' ');
}
