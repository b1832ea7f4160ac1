import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { LocalRefusal } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Defer } from './per-iteration.ts';
import { Places } from './places.ts';

/**
 * A request is light or heavy. A light one has a short body, a short document, a low cost, and reads little from CRMs
 * and from the database; what a thousand of them hold at once fits into the smallest heap. Whatever exceeds one of
 * these needs one of a few heavy places until its response is handed to the socket. An application alone gets all
 * but one, so that another one finds a place.
 */
export function createHeavyPlaces(options: HeavyOptions): HeavyPlaces {
  const {
    clock,
    heapBytes = readMemoryLimit(),
    maxWaitMs = MAX_WAIT_MS,
    defer = setImmediate,
  } = options;
  const max = options.max ?? countHeavyPlaces(heapBytes);
  const places = new Places({
    max,
    ratio: max - 1,
    maxWaitMs,
    clock,
    // Each takes some tens of milliseconds of the thread.
    defer,
    toRefusal: () =>
      new LocalRefusal(
        'SERVICE_UNAVAILABLE',
        'Too many large requests are in progress: try again, or ask for less at once.',
        { retryAfterMs: RETRY_AFTER_MS },
      ),
  });
  return { places, max, maxReadBytes: maxReadBytes(heapBytes) };
}

export interface HeavyPlaces {
  readonly places: Places;
  readonly max: number;
  /** What one heavy request may read from CRMs and from the database. */
  readonly maxReadBytes: number;
}

/** What a light request may have. */
export const LIGHT = {
  /** Of its body: its parsed values take at most 25 times as much. */
  bodyBytes: 8 * 1024,
  /** Characters of its documents that are not cached: parsed and planned, each takes some 70 bytes. */
  documentLength: 2 * 1024,
  /** Two pages of a hundred contacts with ten fields. */
  cost: 2_500,
  /** Bytes of responses of CRMs and of stored records. */
  readBytes: 256 * 1024,
} as const;

/** Measured: what a heavy request holds at its caps, at its worst moment. */
const HEAVY_BYTES = 64 * 1024 * 1024;
/** What the process holds at rest, with light requests. */
const REST_BYTES = 128 * 1024 * 1024;
const LEAST_PLACES = 3;
const MOST_PLACES = 64;

/** 4 places with a heap of 384 MB, 14 with 1 GB. */
function countHeavyPlaces(heapBytes: number): number {
  const places = Math.floor((heapBytes - REST_BYTES) / HEAVY_BYTES);
  return Math.min(MOST_PLACES, Math.max(LEAST_PLACES, places));
}

/**
 * The largest response that is read from a provider: 2 MiB with a heap of 384 MB, 8 MiB from 1 GB on. Larger pages are
 * read in smaller ones.
 */
export function maxProviderResponseBytes(heapBytes: number): number {
  const share = (heapBytes - 384 * MIB) / (640 * MIB);
  return Math.round((2 + 6 * Math.min(1, Math.max(0, share))) * MIB);
}

/** A page of a thousand contacts is five responses. */
function maxReadBytes(heapBytes: number): number {
  return 4 * maxProviderResponseBytes(heapBytes);
}

/** The limit of the heap, or the share of a worker in the memory of the container or machine where that is less. */
export function readMemoryLimit(workers = 1): number {
  const system = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
  return Math.min(getHeapStatistics().heap_size_limit, system / workers);
}

const MIB = 1024 * 1024;
const MAX_WAIT_MS = 5_000;
const RETRY_AFTER_MS = 1_000;

interface HeavyOptions {
  readonly clock: Pick<Clock, 'schedule'>;
  /** Absent: what the heap holds. */
  readonly max?: number | undefined;
  readonly heapBytes?: number | undefined;
  readonly maxWaitMs?: number | undefined;
  readonly defer?: Defer | undefined;
}
