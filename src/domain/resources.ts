import { CrossbookError } from './errors.ts';

/** How large the response to one HTTP request may become, whatever was estimated before. */
export interface ResponseBounds {
  /** Fields and list items. */
  readonly values: number;
  /** Of the body, uncompressed. */
  readonly bytes: number;
  /** The last of them says how many more there were. */
  readonly errors: number;
  /** Of all errors together, as they are written. */
  readonly errorBytes: number;
}

export const RESPONSE_BOUNDS = {
  caller: { values: 400_000, bytes: 16 * 1024 * 1024, errors: 100, errorBytes: 256 * 1024 },
  stranger: { values: 100_000, bytes: 1024 * 1024, errors: 20, errorBytes: 32 * 1024 },
} as const satisfies Record<string, ResponseBounds>;

/**
 * What one HTTP request, all operations of a batch included, may still have made for its response. It is consumed while
 * the response is made, so it holds whatever the data turns out to be. Each method throws once its bound is passed.
 */
export class Allowance {
  readonly bounds: ResponseBounds;
  /** The one error that was thrown, if a bound was passed. */
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

  /** Has much been made? */
  get isLarge() {
    return this.#values > LARGE;
  }

  /** Before they are made. */
  consumeValues(count: number): void {
    this.#values += count;
    if (this.#values > this.bounds.values) this.#stop(`${this.bounds.values} values`);
  }

  /** Of long strings and JSON documents, when they are put into the result: before they are written. */
  consumeResultBytes(count: number): void {
    this.#resultBytes += count;
    if (this.#resultBytes > this.bounds.bytes) this.#stop(`${this.bounds.bytes} bytes`);
  }

  /** Of the body, when they are written. */
  consumeBytes(count: number): void {
    this.#bytes += count;
    if (this.#bytes > this.bounds.bytes) this.#stop(`${this.bounds.bytes} bytes`);
  }

  /** False where there is no room for another error of this size. */
  takeError(bytes: number): boolean {
    const { errors, errorBytes } = this.bounds;
    if (this.#errors >= errors || this.#errorBytes + bytes > errorBytes) return false;
    this.#errors += 1;
    this.#errorBytes += bytes;
    return true;
  }

  #stop(bound: string): never {
    // Whichever bound it was: what else of a batch is under way makes no more either.
    this.#values = Number.POSITIVE_INFINITY;
    this.#resultBytes = Number.POSITIVE_INFINITY;
    this.exceeded ??= new CrossbookError(
      'BAD_REQUEST',
      `The answer is too large: it has more than ${bound}, which is the bound. Ask for fewer items, fields or aliases.`,
    );
    throw this.exceeded;
  }
}

/** In values. */
const LARGE = 10_000;

/**
 * A request's place among those at work. A request that waits for a provider is not at work: each wait pauses the permit,
 * and the last wait that ends resumes it. Waits of one request may overlap.
 */
export interface WorkPermit {
  /**
   * Before a wait: the place is given back until the returned function is called, once, after the wait. Throws where the
   * client has gone, so that nothing more is asked on its behalf.
   */
  pause(): Resume;
  /**
   * Before a piece of work that may take the processor for milliseconds: applications take turns. Undefined: at once. A
   * promise: when its turn has come.
   */
  takeTurn(): Promise<void> | undefined;
  /** How many requests of the same application have come and not begun: they may want the same call. */
  countFollowers(): number;
  /** Calls back once where the client goes before its answer, at once where it has gone. The returned function takes the callback off. */
  whenGone(callback: () => void): () => void;
  /** Releases it when the request is over, answered or not: for memory that its answer is made of. */
  keep(hold: Pick<Hold, 'release'>): void;
}

/**
 * Undefined where the request goes on at once; a promise where it queues for a place. Throws or rejects where the client
 * has gone meanwhile, which ends the work that was done for it. Call it for a request's own wait, never inside a flight
 * that several requests share.
 */
export type Resume = () => Promise<void> | undefined;

/** For work that no request stands for: it is not counted. */
export const UNCOUNTED: WorkPermit = {
  pause: () => () => undefined,
  takeTurn: () => undefined,
  countFollowers: () => 0,
  whenGone: () => () => {},
  keep: (hold) => hold.release(),
};

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
  /** The subnet that the request comes from: of an IPv6 address its /64 network. */
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
