import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { AbandonedError, type CrossbookError, LocalRefusal } from '../domain/errors.ts';
import { FairShares, type Share } from './fair-shares.ts';

/**
 * Limits the memory that clients and providers make the process hold: long bodies, responses of providers, stored
 * records, responses that are not read yet. Small things are not counted here, because their number is limited.
 */
export function createMemory({ maxBytes }: { readonly maxBytes: number }): Memory {
  const shares = new FairShares(maxBytes);
  const kinds = Object.fromEntries(
    MEMORY_KINDS.map((kind) => [kind, { held: 0, refused: 0 }]),
  ) as Kinds;

  return {
    open: (owner, kind) => new CountedHold(shares, toShares(owner), kinds[kind]),
    counts: () => ({ held: maxBytes - shares.free, max: maxBytes, kinds }),
  };
}

/** Alone, an application gets three quarters, a connection half, and all clients without a key or token a quarter. */
function toShares({ application, connection }: MemoryOwner): readonly Share[] {
  if (application === undefined) return UNAUTHENTICATED;
  const own = { owner: application, ratio: 3 };
  return connection === undefined
    ? [own]
    : [own, { owner: `${application} ${connection}`, ratio: 1 }];
}

const UNAUTHENTICATED: readonly Share[] = [{ owner: '', ratio: 1 / 3 }];

class CountedHold implements Hold {
  readonly #all: FairShares;
  readonly #shares: readonly Share[];
  readonly #kind: Kinds[MemoryKind];
  isReleased = false;
  bytes = 0;

  constructor(all: FairShares, shares: readonly Share[], kind: Kinds[MemoryKind]) {
    this.#all = all;
    this.#shares = shares;
    this.#kind = kind;
  }

  grow(bytes: number): boolean {
    if (!(bytes >= 0)) throw new RangeError(`A hold cannot grow by ${bytes} bytes.`);
    if (this.isReleased) return false;
    if (bytes === 0) return true;
    if (!this.#all.mayTake(this.#shares, bytes)) {
      this.#kind.refused += 1;
      return false;
    }
    this.#all.take(this.#shares, bytes);
    this.#add(bytes);
    return true;
  }

  shrink(bytes: number): void {
    if (!(bytes >= 0)) throw new RangeError(`A hold cannot shrink by ${bytes} bytes.`);
    const given = Math.min(bytes, this.bytes);
    if (given === 0) return;
    this.#all.release(this.#shares, given);
    this.#add(-given);
  }

  release(): void {
    this.shrink(this.bytes);
    this.isReleased = true;
  }

  #add(bytes: number): void {
    this.bytes += bytes;
    this.#kind.held += bytes;
  }
}

export interface Memory {
  /** A hold of nothing yet. */
  open(owner: MemoryOwner, kind: MemoryKind): Hold;
  counts(): { readonly held: number; readonly max: number; readonly kinds: Kinds };
}

/** Memory that is held until its release. */
export interface Hold {
  readonly bytes: number;
  readonly isReleased: boolean;
  /** False, without a change, if the bytes would exceed the limit or a share of it, or after the release. */
  grow(bytes: number): boolean;
  /** Releases part of the bytes. */
  shrink(bytes: number): void;
  /** Releases all bytes. Idempotent. */
  release(): void;
}

/** Database ids. Without an application: a client without a key or token. */
export interface MemoryOwner {
  readonly application?: string | undefined;
  readonly connection?: string | undefined;
}

export const MEMORY_KINDS = [
  /** A request body above 2 KiB and what is parsed from it, from its first byte until the request ends. */
  'request_body',
  /** Responses of providers and stored records that a request reads, until it ends. */
  'fetched_data',
  /** Documents and typed schemas that requests use. */
  'operation',
  /** A response that the client has not read yet. */
  'unread_response',
] as const;

type MemoryKind = (typeof MEMORY_KINDS)[number];

type Kinds = Readonly<Record<MemoryKind, { held: number; refused: number }>>;

/** Grows a hold, or throws. */
export function charge(hold: Hold, bytes: number): void {
  if (!hold.grow(bytes)) throw toHoldError(hold);
}

/** Why a hold does not grow. After its release it is not the memory that is missing: its request has ended. */
export function toHoldError({ isReleased }: Pick<Hold, 'isReleased'>): CrossbookError {
  return isReleased ? new AbandonedError() : memoryLimitReached();
}

/** A 503 with `Retry-After`. */
export function memoryLimitReached(): LocalRefusal {
  return new LocalRefusal(
    'SERVICE_UNAVAILABLE',
    'The memory for requests and responses, or this caller’s share of it, is exhausted: try again.',
    { retryAfterMs: RETRY_AFTER_MS },
  );
}

const RETRY_AFTER_MS = 1_000;

/**
 * The default limit. Bodies are outside of the heap and parsed values inside, so a quarter of the
 * smaller one is the limit. The workers of one supervisor share the memory of the system.
 */
export function defaultMaxHeldBytes(
  { heapBytes, systemBytes }: MemorySizes = readSizes(),
  processes = 1,
): number {
  return Math.floor(Math.min(heapBytes, systemBytes / processes) / 4);
}

/** The container's memory limit (cgroup v1 or v2) where it has one, else the machine's memory. */
function readSizes(): MemorySizes {
  return {
    heapBytes: getHeapStatistics().heap_size_limit,
    systemBytes: Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem()),
  };
}

interface MemorySizes {
  readonly heapBytes: number;
  readonly systemBytes: number;
}
