import type { Caller } from '../target/open-target.ts';
import type { Operation } from '../target/send.ts';

/** Documents of one kind: who sends them, by which ways, and what each must get. */
export interface DocumentKind {
  readonly kind: string;
  readonly as: readonly Caller[];
  readonly ways: readonly Way[];
  readonly gets: Gets;
  /** By what they are. */
  readonly lines: Readonly<Record<string, Sends | Expecting>>;
}

/** What one line sends. A function is given what the target holds. */
export type Sends = Sent | ((facts: Facts) => Sent);

/** A line that must get something else than its kind. */
export interface Expecting {
  readonly gets: Gets;
  readonly sends: Sends;
}

/** A document, an operation, or any JSON that is none. */
export type Sent = string | Operation | readonly unknown[];

/** Ten of it in one request, or itself by POST or GET. By GET only what an address can hold. */
export type Way = 'POST' | 'GET' | 'batch';

export interface Facts {
  /** Global ids of a thousand contacts of the demo customer. */
  readonly ids: readonly string[];
  /** The global id of the neighbour's customer. */
  readonly foreignId: string;
}

export interface Gets {
  readonly status: readonly number[];
  /** Of every error. */
  readonly codes?: RegExp;
  /** Data, and no error beside it. */
  readonly whole?: boolean;
  readonly maxBytes?: number;
  /** What must be in the answer, or may not be. */
  readonly has?: RegExp;
  readonly hasNot?: RegExp;
}

export const PASSES: Gets = { status: [200], whole: true };
/** It may be too much: then it is refused clearly. Where it is answered, the bound holds. */
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

/** So many of them, with a blank between. */
export function many(count: number, write: (n: number) => string): string {
  return Array.from({ length: count }, (_, n) => write(n)).join(' ');
}
