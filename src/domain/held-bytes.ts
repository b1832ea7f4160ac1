import { CrossbookError } from './errors.ts';

/** Memory that clients and providers make the process hold: one sum, and a share of it for each owner. */
export interface HeldBytes {
  /** Undefined, and nothing is counted, where the sum or the share of one of the owners would be exceeded. */
  acquire(owners: HeldOwners, kind: HeldKind, bytes: number): Hold | undefined;
}

/** Bytes that are counted until they are released. */
export interface Hold {
  readonly bytes: number;
  /** False, and nothing changes, where that many more do not fit. */
  grow(bytes: number): boolean;
  /** Gives so many back. */
  shrink(bytes: number): void;
  /** Gives all of it back. Only the first call counts. */
  release(): void;
}

/** All that are named are charged, each within its own share. */
export interface HeldOwners {
  /** Where the request comes from: an IPv6 address is charged to its /64 network. */
  readonly address?: string | undefined;
  /** Ids of the database. */
  readonly application?: string | undefined;
  readonly connection?: string | undefined;
}

export const HELD_KINDS = [
  /** The body of a request, from its first byte until the request is answered: what is parsed from it lives as long. */
  'request_body',
  /** What a provider answered, until the request that asked for it is answered. */
  'provider_response',
  /** A response that its client has not read yet. */
  'unread_response',
  /** Parsed documents and compiled plans in a cache. */
  'document',
  /** Requests that wait for their turn. */
  'queue',
] as const;

export type HeldKind = (typeof HELD_KINDS)[number];

/** Answered with 503 and `Retry-After`. */
export function memoryLimitReached(): CrossbookError {
  return new CrossbookError(
    'SERVICE_UNAVAILABLE',
    'The memory for requests and answers, or the share of this caller in it, is in use: try again.',
    { retryAfterMs: RETRY_AFTER_MS },
  );
}

const RETRY_AFTER_MS = 1_000;
