import type { Caller, PresentedKey } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import { createBatcher } from '../lib/batcher.ts';
import { type Clock, systemClock } from '../lib/clock.ts';

/**
 * Looks up API keys in batches of one statement each, so that floods of keys do not become floods of queries.
 * Unproven keys from an address with many failures go into a slow queue with one statement at a time; its time is
 * shared equally by address. Such look-ups are delayed, never rejected for their address. A look-up that the database
 * does not answer in time is rejected.
 */
export function createKeyLookups({ findCallers, failures, clock = systemClock }: KeyLookupOptions) {
  const direct = createQueue({ maxConcurrent: DIRECT_STATEMENTS, pauseMs: 0 });
  const slow = createQueue({ maxConcurrent: 1, pauseMs: SLOW_PAUSE_MS, maxWaitMs: SLOW_WAIT_MS });

  return {
    /**
     * Rejects with SERVICE_UNAVAILABLE if thousands are queued, or if the database is unavailable or too slow.
     */
    async find({ key, isTrusted, address = 'unknown' }: KeyLookup): Promise<Caller | undefined> {
      const bucket = isTrusted ? undefined : failures.slowBucketOf(address);
      const caller = await (bucket === undefined ? direct.add('', key) : slow.add(bucket, key));
      if (!caller) failures.count(address);
      return caller;
    },
    counts: () => ({ waiting: direct.waiting(), slow: slow.waiting() }),
  };

  function createQueue({ maxConcurrent, pauseMs, maxWaitMs }: QueueOptions) {
    const addresses = new Map<string, AddressQueue>();
    let waiting = 0;
    let pausedUntil = 0;
    let isRunning = false;
    /** The running statement has exceeded the timeout: until it ends new look-ups are rejected. */
    let isStuck = false;
    const batcher = createBatcher<AddressQueue>({
      clock,
      maxConcurrent,
      maxItems: MAX_KEYS,
      pauseMs: () => pausedUntil - clock.now(),
      async run(batch) {
        isRunning = true;
        await lookUp(takeShares(batch));
        isRunning = false;
        isStuck = false;
        pausedUntil = clock.now() + pauseMs;
      },
    });
    return { add, waiting: () => waiting };

    function add(name: string, key: PresentedKey): Promise<Caller | undefined> {
      const queue = addresses.get(name) ?? { name, lookups: [] };
      const { lookups } = queue;
      if (isStuck || lookups.length >= MAX_WAITING) throw tooMany();
      const found = new Promise<Caller | undefined>((resolve, reject) => {
        lookups.push({ key, resolve, reject });
      });
      addresses.set(name, queue);
      waiting += 1;
      if (batcher.isIdle()) pausedUntil = clock.now() + pauseMs;
      if (lookups.length === 1) batcher.add(queue);
      return maxWaitMs === undefined ? found : boundWait(found, queue, maxWaitMs);
    }

    /** All look-ups have the same timeout, so the one that times out is the first of its queue, or in a statement. */
    function boundWait(found: Promise<Caller | undefined>, queue: AddressQueue, maxWaitMs: number) {
      const lookup = queue.lookups.at(-1);
      const cancel = clock.schedule(maxWaitMs, () => {
        // Between statements nothing is stuck, and no end of a statement might come that resets it.
        isStuck = isRunning;
        lookup?.reject(tooMany());
        if (queue.lookups[0] !== lookup) return;
        take(queue, 1);
        if (queue.lookups.length === 0) batcher.remove(queue);
      });
      return found.finally(cancel);
    }

    /** Takes an equal share of each queue; queues with remaining look-ups go to the end. */
    function takeShares(batch: readonly AddressQueue[]): readonly Lookup[] {
      const share = Math.max(1, Math.floor(MAX_KEYS / batch.length));
      const taken = batch.flatMap((queue) => take(queue, share));
      for (const queue of batch) if (queue.lookups.length > 0) batcher.add(queue);
      return taken;
    }

    function take({ name, lookups }: AddressQueue, count: number): readonly Lookup[] {
      const taken = lookups.splice(0, count);
      waiting -= taken.length;
      if (lookups.length === 0) addresses.delete(name);
      return taken;
    }
  }

  async function lookUp(lookups: readonly Lookup[]): Promise<void> {
    if (lookups.length === 0) return;
    try {
      const callers = await findCallers(lookups.map(({ key }) => key));
      for (const [index, { resolve }] of lookups.entries()) {
        const known = callers[index];
        resolve(known && { application: known.application, credentialId: known.keyId });
      }
    } catch (error) {
      for (const { reject } of lookups) reject(error);
    }
  }
}

function tooMany(): CrossbookError {
  return new CrossbookError(
    'SERVICE_UNAVAILABLE',
    'Too many API keys are being looked up: try again.',
    {
      retryAfterMs: 1_000,
    },
  );
}

/** Two, so that a key that arrives during one statement does not have to wait for it. */
const DIRECT_STATEMENTS = 2;
/** The pause between two statements of the slow queue. */
const SLOW_PAUSE_MS = 200;
/** The timeout of a look-up in the slow queue. */
const SLOW_WAIT_MS = 5_000;
/** The maximum of keys in one statement: as many as connections by default. */
const MAX_KEYS = 10_000;
/** The maximum of queued look-ups for one slow address, and for the direct queue. */
const MAX_WAITING = 5_000;

export type KeyLookups = ReturnType<typeof createKeyLookups>;

interface KeyLookup {
  readonly key: PresentedKey;
  /** Known to be valid, or found before: never slowed down. */
  readonly isTrusted: boolean;
  readonly address: string | undefined;
}

interface KeyLookupOptions {
  /** Runs one statement for all keys; the results are in their order. */
  findCallers(
    keys: readonly PresentedKey[],
  ): Promise<
    readonly ({ readonly application: Caller['application']; readonly keyId: string } | undefined)[]
  >;
  /** The counter of failed look-ups by address. */
  readonly failures: {
    /** The bucket of the address in the slow queue; undefined if there were few failures. */
    slowBucketOf(address: string): string | undefined;
    count(address: string): void;
  };
  readonly clock?: Pick<Clock, 'now' | 'schedule'>;
}

interface QueueOptions {
  readonly maxConcurrent: number;
  readonly pauseMs: number;
  /** Undefined: the database's statement timeout applies. */
  readonly maxWaitMs?: number;
}

/** The queue of one bucket of addresses. */
interface AddressQueue {
  readonly name: string;
  readonly lookups: Lookup[];
}

interface Lookup {
  readonly key: PresentedKey;
  resolve(caller: Caller | undefined): void;
  reject(error: unknown): void;
}
