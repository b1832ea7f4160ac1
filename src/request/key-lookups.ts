import type { Caller } from '../domain/caller.ts';
import { CrossbookError } from '../domain/errors.ts';
import { createBatcher } from '../lib/batcher.ts';
import { type Clock, systemClock } from '../lib/clock.ts';

/**
 * Looks API keys up, many in one statement, so that the number of keys that are presented does not become the number of
 * queries. An unproven key from an address with many failed look-ups goes into a slow queue: one statement at a time for
 * all such addresses, with all that wait there, so that nothing waits for more than the next but one. It is answered later,
 * and never refused for its address. What the database does not answer in time is refused.
 */
export function createKeyLookups({ findCallers, failures, clock = systemClock }: KeyLookupOptions) {
  const direct = createQueue({ maxConcurrent: DIRECT_STATEMENTS, pauseMs: 0 });
  const slow = createQueue({ maxConcurrent: 1, pauseMs: SLOW_PAUSE_MS, maxWaitMs: SLOW_WAIT_MS });

  return {
    /** Rejects with SERVICE_UNAVAILABLE where thousands wait already, or where the database is away or does not answer. */
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
    /** Its statement takes longer than anything may wait: until it ends nothing more is taken in. */
    let isStuck = false;
    const batcher = createBatcher<AddressQueue>({
      clock,
      maxConcurrent,
      maxItems: MAX_KEYS,
      pauseMs: () => pausedUntil - clock.now(),
      async run(batch) {
        await lookUp(takeShares(batch));
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

    /** All wait for as long, so that the one whose time is over is the first of its queue, or in a statement. */
    function boundWait(found: Promise<Caller | undefined>, queue: AddressQueue, maxWaitMs: number) {
      const lookup = queue.lookups.at(-1);
      const cancel = clock.schedule(maxWaitMs, () => {
        isStuck = true;
        lookup?.reject(tooMany());
        if (queue.lookups[0] !== lookup) return;
        take(queue, 1);
        if (queue.lookups.length === 0) batcher.remove(queue);
      });
      return found.finally(cancel);
    }

    /** An equal part for each queue. Those that wait on come last the next time. */
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
  return new CrossbookError('SERVICE_UNAVAILABLE', 'Too many API keys are being looked up: try again.', {
    retryAfterMs: 1_000,
  });
}

/** Two, so that a key that comes while one statement runs need not wait for it. */
const DIRECT_STATEMENTS = 2;
/** Between two statements for addresses with many failures. */
const SLOW_PAUSE_MS = 200;
/** What a look-up of such an address may wait. */
const SLOW_WAIT_MS = 5_000;
/** In one statement: as many as there may be connections by default. */
const MAX_KEYS = 10_000;
/** For one address, and for all that go straight. */
const MAX_WAITING = 5_000;

export type KeyLookups = ReturnType<typeof createKeyLookups>;

interface KeyLookup {
  readonly key: PresentedKey;
  /** Known to be ours, or found before: its address does not matter. */
  readonly isTrusted: boolean;
  readonly address: string | undefined;
}

export interface PresentedKey {
  readonly publicId: string;
  readonly secret: string;
  /** Its MAC is right. */
  readonly isGenuine: boolean;
}

interface KeyLookupOptions {
  /** One statement for all of them; the answers are in their order. */
  findCallers(
    keys: readonly PresentedKey[],
  ): Promise<
    readonly ({ readonly application: Caller['application']; readonly keyId: string } | undefined)[]
  >;
  /** Failed look-ups, by address. */
  readonly failures: {
    /** Undefined: there were few. Else what stands for the address in the slow queue. */
    slowBucketOf(address: string): string | undefined;
    count(address: string): void;
  };
  readonly clock?: Pick<Clock, 'now' | 'schedule'>;
}

interface QueueOptions {
  readonly maxConcurrent: number;
  readonly pauseMs: number;
  /** Undefined: for as long as the database has for a statement. */
  readonly maxWaitMs?: number;
}

/** What an address stands for. */
interface AddressQueue {
  readonly name: string;
  readonly lookups: Lookup[];
}

interface Lookup {
  readonly key: PresentedKey;
  resolve(caller: Caller | undefined): void;
  reject(error: unknown): void;
}
