import type { Contact } from '../domain/contact.ts';
import { type FieldSelection, mergeSelections } from '../domain/contact-search.ts';
import type { CrossbookError } from '../domain/errors.ts';
import type { WorkPermit } from '../domain/resources.ts';
import { createBatcher } from '../lib/batcher.ts';
import { type Clock, whenOver } from '../lib/clock.ts';
import { AbandonedError, cloneError, rateLimited, timedOut } from './failures.ts';
import type { OnProgress, Progress } from './send.ts';

/**
 * Batches look-ups by email of one connection, over requests. (`EmailLoader` in `request/loaders.ts` does so within one request.)
 * - What comes in one turn of the event loop is one call.
 * - It waits a moment for requests of the application that have come and not begun, where they would fill the call.
 * - While `maxUnderWay` calls are under way the next look-ups wait, and are then sent together: of a thousand at once come a dozen calls.
 * - Once half of the provider's rate limit is used, calls that are not full keep a distance at which the rest of it lasts.
 */
export function createLookupBatcher(options: LookupBatcherOptions) {
  const { clock, batchSize, maxUnderWay, defer = setImmediate } = options;
  let lastSentAt = Number.NEGATIVE_INFINITY;
  const batcher = createBatcher<Waiter>({
    clock,
    defer,
    run,
    maxConcurrent: maxUnderWay,
    maxSize: batchSize,
    createSizer: countEmails,
    pauseMs: (queued, next) => (queued >= batchSize ? 0 : Math.max(distanceMs(), gatherMs(queued, next))),
  });

  return {
    find(lookup: Lookup): Promise<FoundByEmail> {
      // A full call is sent at once: waiting cannot add to it.
      return lookup.emails.length % batchSize === 0 ? send(lookup) : wait(lookup);
    },
    isIdle: batcher.isIdle,
  };

  /** The processor is busy anyway, and what waits for it would fill the call. */
  function gatherMs(queued: number, { lookup, since }: Waiter): number {
    if (queued + lookup.permit.countFollowers() < batchSize) return 0;
    return Math.min(LOOK_AGAIN_MS, since + GATHER_MS - clock.now());
  }

  /** How long until a call that is not full may follow the last one. */
  function distanceMs(): number {
    const spacing = options.spacingMs();
    return spacing === 0 ? 0 : lastSentAt + spacing - clock.now();
  }

  function send(
    { emails, selection, deadline, permit, findByEmails }: Call,
    onProgress?: OnProgress,
  ): Promise<FoundByEmail> {
    lastSentAt = clock.now();
    for (let left = emails.length; left > 0; left -= batchSize) options.onCall?.(Math.min(left, batchSize));
    return findByEmails(emails, selection, { deadline, permit, onProgress });
  }

  function wait(lookup: Lookup): Promise<FoundByEmail> {
    const { deadline, permit, key } = lookup;
    return new Promise((resolve, reject) => {
      let stopWaiting: (() => void) | undefined;
      const waiter: Waiter = {
        lookup,
        since: clock.now(),
        call: NONE_YET,
        reliesOnCall: false,
        resolve(found) {
          stopWaiting?.();
          resolve(found);
        },
        reject(error) {
          stopWaiting?.();
          reject(error as Error);
        },
      };
      batcher.add(waiter, key);
      // Last: of a client that has gone already it calls back at once.
      stopWaiting = whenOver({ clock, deadline, permit }, (hasGone) => {
        if (waiter.reliesOnCall && !hasGone) return;
        batcher.remove(waiter, key);
        waiter.reject(hasGone ? new AbandonedError() : toLate(waiter.call));
      });
    });
  }

  /** Each waiter gets its own result, or its own error. */
  async function run(waiters: readonly Waiter[]): Promise<void> {
    try {
      const [first] = waiters;
      if (!first) return;
      // The call refers to this object and not to its waiters: else what still refers to the call when it is over would keep
      // their requests in memory.
      const call: CallState = { progress: 'starting' };
      const found = await send({ ...first.lookup, ...merge(waiters, call) }, (progress) => {
        call.progress = progress;
      });
      for (const { lookup, resolve } of waiters) resolve(pick(found, lookup.emails));
    } catch (error) {
      for (const { reject } of waiters) reject(cloneError(error));
    }
  }
}

/** One call for all of them: until the last deadline, with the fields that any of them wants. */
function merge(waiters: readonly Waiter[], call: CallState): Omit<Call, 'key' | 'findByEmails'> {
  const deadline = Math.max(...waiters.map(({ lookup }) => lookup.deadline));
  for (const waiter of waiters) {
    waiter.call = call;
    // A waiter whose time ends with the call's has the call's error.
    waiter.reliesOnCall = deadline - waiter.lookup.deadline <= SAME_MOMENT_MS;
  }
  return {
    deadline,
    emails: [...new Set(waiters.flatMap(({ lookup }) => lookup.emails))],
    selection: mergeSelections(waiters.map(({ lookup }) => lookup.selection)),
    permit: sharePermit(waiters.map(({ lookup }) => lookup.permit)),
  };
}

/** An email that is in the batch already takes no place. */
function countEmails(): (waiter: Waiter) => number {
  const emails = new Set<string>();
  return ({ lookup }) => {
    const before = emails.size;
    for (const email of lookup.emails) emails.add(email);
    return emails.size - before;
  };
}

/** Where it still waited for its turn, it was the budget; already on the way, it is the provider. */
function toLate({ progress }: CallState): CrossbookError {
  if (progress === 'queued') return rateLimited(RETRY_AFTER_MS);
  return timedOut(progress === 'sent' ? 'remote-provider' : 'crossbook');
}

function pick(found: FoundByEmail, emails: readonly string[]): FoundByEmail {
  return new Map(emails.map((email) => [email, found.get(email) ?? []]));
}

const NONE_YET: CallState = { progress: 'queued' };
const RETRY_AFTER_MS = 1_000;
/** The most that a look-up waits for requests that have not begun. */
const GATHER_MS = 20;
const LOOK_AGAIN_MS = 2;
/** Between the deadlines of requests that came together. */
const SAME_MOMENT_MS = 50;

export interface Lookup {
  readonly emails: readonly string[];
  readonly selection: FieldSelection;
  /** Look-ups with the same key may share a call, which then asks for the fields of all of them. */
  readonly key: string;
  readonly deadline: number;
  readonly permit: WorkPermit;
  /** Makes the call, which may be for other look-ups as well. */
  findByEmails(
    emails: readonly string[],
    selection: FieldSelection,
    shared: SharedCall,
  ): Promise<FoundByEmail>;
}

/** An adapter's call may be for several requests. */
export interface SharedCall {
  readonly deadline: number;
  readonly permit: CallPermit;
  readonly onProgress?: OnProgress | undefined;
}

interface Call extends Omit<Lookup, 'permit'> {
  readonly permit: CallPermit;
}

export type FoundByEmail = Map<string, readonly Contact[]>;

interface LookupBatcherOptions {
  readonly clock: Clock;
  readonly batchSize: number;
  readonly maxUnderWay: number;
  /** Calls back when this turn of the event loop is over. */
  readonly defer?: ((callback: () => void) => unknown) | undefined;
  /** How far apart calls are to be just now; 0: as they come. */
  spacingMs(): number;
  /** Told how many emails travel together, as they go. */
  readonly onCall?: (emails: number) => void;
}

interface CallState {
  progress: Progress | 'starting';
}

interface Waiter {
  readonly lookup: Lookup;
  readonly since: number;
  /** Shared by all that wait for the same one. */
  call: CallState;
  /** It has no deadline of its own any more. */
  reliesOnCall: boolean;
  resolve(found: FoundByEmail): void;
  reject(error: unknown): void;
}

/**
 * For a call that several requests wait for: its clients have gone when the last one has, and what it keeps is released
 * when the last of the requests is over. Each of them pauses its own permit.
 */
function sharePermit(permits: readonly WorkPermit[]): CallPermit {
  return {
    whenGone(callback) {
      const oneGone = countDown(permits.length, callback);
      const forgets = permits.map((permit) => permit.whenGone(oneGone));
      return () => {
        for (const forget of forgets) forget();
      };
    },

    takeTurn: () => permits[0]?.takeTurn(),

    keep(hold) {
      const release = countDown(permits.length, () => hold.release());
      for (const permit of permits) permit.keep({ release });
    },
  };
}

/** Calls back with the last of so many calls. */
function countDown(left: number, callback: () => void): () => void {
  return () => {
    left--;
    if (left === 0) callback();
  };
}

/** What a call needs of the requests that it is made for. */
export type CallPermit = Pick<WorkPermit, 'takeTurn' | 'whenGone' | 'keep'>;
