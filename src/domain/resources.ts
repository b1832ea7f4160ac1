import { AbandonedError, CrossbookError } from './errors.ts';

/** Limits of the response to one HTTP request, independent of cost estimates. */
export interface ResponseBounds {
  /** The number of fields and list items. */
  readonly values: number;
  /** Uncompressed bytes of the body. */
  readonly bytes: number;
  /** The last error counts the omitted ones. */
  readonly errors: number;
  /** Serialized bytes of all errors. */
  readonly errorBytes: number;
}

export const RESPONSE_BOUNDS = {
  caller: { values: 400_000, bytes: 16 * 1024 * 1024, errors: 100, errorBytes: 256 * 1024 },
  stranger: { values: 100_000, bytes: 1024 * 1024, errors: 20, errorBytes: 32 * 1024 },
} as const satisfies Record<string, ResponseBounds>;

/**
 * The remaining response limits of one HTTP request, including all operations of a batch. Consumed while the response is
 * produced, so it holds for any data. Each method throws above its limit.
 */
export class Allowance {
  readonly bounds: ResponseBounds;
  /** The error that was thrown, if a limit was exceeded. */
  exceeded: CrossbookError | undefined;
  #values = 0;
  #resultBytes = 0;
  #bytes = 0;
  #errors = 0;
  #errorBytes = 0;

  constructor(bounds: ResponseBounds) {
    this.bounds = bounds;
  }

  get consumed() {
    return { values: this.#values, bytes: this.#bytes };
  }

  /** Whether many values were produced. */
  get isLarge() {
    return this.#values > LARGE;
  }

  /** Called before values are produced. */
  consumeValues(count: number): void {
    this.#values += count;
    if (this.#values > this.bounds.values) this.#stop(`${this.bounds.values} values`);
  }

  /** Called when long strings and JSON documents enter the result, before serialization. */
  consumeResultBytes(count: number): void {
    this.#resultBytes += count;
    if (this.#resultBytes > this.bounds.bytes) this.#stop(`${this.bounds.bytes} bytes`);
  }

  /** Called when bytes of the body are serialized. */
  consumeBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > this.bounds.bytes) this.#stop(`${this.bounds.bytes} bytes`);
  }

  /** False where another error of this size exceeds the limit. */
  takeError(bytes: number): boolean {
    const { errors, errorBytes } = this.bounds;
    if (this.#errors >= errors || this.#errorBytes + bytes > errorBytes) return false;
    this.#errors += 1;
    this.#errorBytes += bytes;
    return true;
  }

  #stop(bound: string): never {
    // Exhausts all limits, so that other running operations of the batch stop too.
    this.#values = Number.POSITIVE_INFINITY;
    this.#resultBytes = Number.POSITIVE_INFINITY;
    this.exceeded ??= new CrossbookError(
      'BAD_REQUEST',
      `The answer is too large: it has more than ${bound}, which is the bound. Ask for fewer items, fields or aliases.`,
    );
    throw this.exceeded;
  }
}

/** The number of values. */
const LARGE = 10_000;

/**
 * The concurrency permit of a request. It is given back while the request waits for a provider: each wait pauses the
 * permit, and the end of the last one resumes it. Waits of one request may overlap.
 */
export interface WorkPermit {
  /**
   * Call before a wait: gives the slot back until the returned function is called once, after the wait. Throws where
   * the client has disconnected, so that no further calls are made for it.
   */
  pause(): Resume;
  /**
   * Call before CPU work of milliseconds: applications take turns. Undefined: run at once. A promise: wait for the
   * turn.
   */
  takeTurn(): Promise<void> | undefined;
  /** The number of requests of the same application that have arrived and not begun: they may share a call. */
  countNotBegun(): number;
  /**
   * Calls back once when the client disconnects before the response, at once where it already has. The returned
   * function unregisters.
   */
  whenGone(callback: () => void): () => void;
  /** Releases the hold when the request ends: for memory that its response is made of. */
  keep(hold: Pick<Hold, 'release'>): void;
}

/** The part of a request's permit that a call for it needs. */
export type CallPermit = Pick<WorkPermit, 'takeTurn' | 'whenGone' | 'keep'>;

/**
 * Undefined: continue at once; a promise: queued for a slot. Throws or rejects where the client has disconnected,
 * which ends its work. Use it only for a request's own wait, never in work that several requests share.
 */
export type Resume = () => Promise<void> | undefined;

/** A permit for work without a request: not counted. */
export const UNCOUNTED: WorkPermit = {
  pause: () => () => undefined,
  takeTurn: () => undefined,
  countNotBegun: () => 0,
  whenGone: () => () => {},
  // There is no end at which it could be released.
  keep: () => {},
};

/** Accounts for memory held for clients and providers: a total, and a share per owner. */
export interface HeldBytes {
  /** A hold of nothing yet, for what grows. */
  open(owners: HeldOwners, kind: HeldKind): Hold;
  /** Undefined, without charging anything, where the total or an owner's share would be exceeded. */
  acquire(owners: HeldOwners, kind: HeldKind, bytes: number): Hold | undefined;
}

/** Charged bytes until their release. */
export interface Hold {
  readonly bytes: number;
  readonly isReleased: boolean;
  /** False, without a change, where they would exceed a limit, or after the release. */
  grow(bytes: number): boolean;
  /** Releases part of the bytes. */
  shrink(bytes: number): void;
  /** Releases all bytes. Idempotent. */
  release(): void;
}

/**
 * All given owners are charged, each within its share. An address without an application is of an unauthenticated
 * client, whose holds all have one share together.
 */
export interface HeldOwners {
  /** The client's subnet: for IPv6 the /64 network. */
  readonly address?: string | undefined;
  /** Database ids. */
  readonly application?: string | undefined;
  readonly connection?: string | undefined;
}

/**
 * Charges the caller's application for stored data that a request reads, until the request ends. Throws a 503 where its
 * share of the memory is in use.
 */
export type Reserve = (bytes: number) => void;

/** The owners that each is charged to: docs/operations.md, "Limits, timeouts and load shedding". */
export const HELD_KINDS = [
  /** A request body, and above 2 KiB what is parsed from it, from its first byte until the response. */
  'request_body',
  /** Provider responses and stored records that a request reads, until it ends. */
  'fetched_data',
  /** A response that the client has not read yet. */
  'unread_response',
  /** Parsed documents and compiled plans in a cache. */
  'document',
  /** Queued requests. */
  'queue',
] as const;

export type HeldKind = (typeof HELD_KINDS)[number];

/** Why a hold does not grow. After its release it is not the memory that is missing: its request has ended. */
export function toHoldError({ isReleased }: Pick<Hold, 'isReleased'>): CrossbookError {
  return isReleased ? new AbandonedError() : memoryLimitReached();
}

/** A 503 with `Retry-After`. */
export function memoryLimitReached(): CrossbookError {
  return new CrossbookError(
    'SERVICE_UNAVAILABLE',
    'The memory for requests and answers, or the share of this caller in it, is in use: try again.',
    { retryAfterMs: RETRY_AFTER_MS },
  );
}

const RETRY_AFTER_MS = 1_000;
