import type { Contact } from '../domain/contact.ts';
import type { CrossbookError } from '../domain/errors.ts';
import type { ContactPort } from '../domain/provider.ts';
import { uniteWants, type Want } from '../domain/want.ts';
import type { WorkPermit } from '../domain/work-permit.ts';
import type { Clock } from '../lib/clock.ts';
import type { OnProgress, Progress } from './attempts.ts';
import { AbandonedError, anew, rateLimited, timedOut } from './failures.ts';
import { type CallPermit, sharePermit } from './shared-permit.ts';

/**
 * Batches look-ups by email of one connection, over requests. What comes in one turn of the event loop is one call. While a
 * few calls are under way the next look-ups wait and are then sent together: a burst of a thousand is a dozen calls. Once
 * half of the rate limit's budget is used, calls that are not full keep the distance at which the rest of it lasts.
 */
export function createLookups(options: LookupOptions): Lookups {
  const { clock, batchSize, maxUnderWay, defer = setImmediate } = options;
  const groups = new Map<string, Group>();
  let lastSentAt = Number.NEGATIVE_INFINITY;

  return { find, isIdle: () => groups.size === 0 };

  function find(ask: Lookup): Promise<FoundByEmail> {
    const { emails } = ask;
    // Full calls gain nothing by waiting for company.
    if (emails.length % batchSize === 0) return send(ask);
    const group = groupFor(ask.key);
    const joined = join(group, ask);
    if (group.isDeferred) return joined;
    group.isDeferred = true;
    defer(() => {
      group.isDeferred = false;
      moveOn(group, ask.key);
    });
    return joined;
  }

  /** How long until a call that is not full may follow the last one. */
  function distanceMs(): number {
    const spacing = options.spacingMs();
    return spacing === 0 ? 0 : lastSentAt + spacing - clock.now();
  }

  /** Sends what waits and may go; what may not go yet is looked at again when its time has come. */
  function moveOn(group: Group, key: string): void {
    while (group.waiting.size > 0 && group.underWay < maxUnderWay) {
      const wait = group.waiting.size >= batchSize ? 0 : distanceMs();
      if (wait > 0) {
        group.wake ??= clock.schedule(wait, () => {
          group.wake = undefined;
          moveOn(group, key);
        });
        return;
      }
      void runTogether(group, key);
    }
    if (group.underWay === 0 && group.waiting.size === 0 && !group.isDeferred) drop(group, key);
  }

  function drop(group: Group, key: string): void {
    group.wake?.();
    groups.delete(key);
  }

  function send(
    { emails, want, deadline, permit, open }: Call,
    onProgress?: OnProgress,
  ): Promise<FoundByEmail> {
    lastSentAt = clock.now();
    for (let left = emails.length; left > 0; left -= batchSize) options.onCall?.(Math.min(left, batchSize));
    return open(deadline, permit, onProgress).findByEmails(emails, want);
  }

  function join(group: Group, ask: Lookup): Promise<FoundByEmail> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        ask,
        progress: 'queued',
        relyOnCall: () => cancel(),
        resolve(found) {
          stopWaiting();
          resolve(found);
        },
        reject(error) {
          stopWaiting();
          reject(error as Error);
        },
      };
      group.waiting.add(waiter);
      const cancel = clock.schedule(ask.deadline - clock.now(), () => {
        group.waiting.delete(waiter);
        waiter.reject(toLate(waiter.progress));
      });
      const forget = ask.permit.whenGone(() => {
        group.waiting.delete(waiter);
        waiter.reject(new AbandonedError());
      });
      const stopWaiting = () => {
        cancel();
        forget();
      };
    });
  }

  function release(group: Group, key: string): void {
    group.underWay--;
    moveOn(group, key);
  }

  /** Never rejects: each of the waiting is told by itself. */
  async function runTogether(group: Group, key: string): Promise<void> {
    group.underWay++;
    const { waiters, emails } = takeBatch(group.waiting, batchSize);
    try {
      const [first] = waiters;
      if (!first) return;
      const deadline = Math.max(...waiters.map(({ ask }) => ask.deadline));
      const want = uniteWants(waiters.map(({ ask }) => ask.want));
      const permit = sharePermit(waiters.map(({ ask }) => ask.permit));
      const onProgress = (progress: Waiter['progress']) => {
        for (const waiter of waiters) waiter.progress = progress;
      };
      // Whose time ends with the call's is told what became of the call.
      for (const waiter of waiters) if (deadline - waiter.ask.deadline <= SAME_MOMENT_MS) waiter.relyOnCall();
      onProgress('starting');
      const found = await send({ ...first.ask, emails: [...emails], want, deadline, permit }, onProgress);
      for (const { ask, resolve } of waiters) resolve(pick(found, ask.emails));
    } catch (error) {
      for (const { reject } of waiters) reject(anew(error));
    } finally {
      release(group, key);
    }
  }

  function groupFor(key: string): Group {
    const known = groups.get(key);
    if (known) return known;
    const group: Group = { underWay: 0, isDeferred: false, waiting: new Set<Waiter>() };
    groups.set(key, group);
    return group;
  }
}

/** In the order of their coming, as many as fit into one call. */
function takeBatch(waiting: Set<Waiter>, batchSize: number) {
  const waiters: Waiter[] = [];
  const emails = new Set<string>();
  for (const waiter of waiting) {
    const fresh = waiter.ask.emails.filter((email) => !emails.has(email));
    if (emails.size + fresh.length > batchSize) break;
    for (const email of fresh) emails.add(email);
    waiting.delete(waiter);
    waiters.push(waiter);
  }
  return { waiters, emails };
}

/** Where it still waited for its turn, it was the budget; already on the way, it is the provider. */
function toLate(progress: Waiter['progress']): CrossbookError {
  if (progress === 'queued') return rateLimited(RETRY_AFTER_MS);
  return timedOut(progress === 'sent' ? 'remote-provider' : 'crossbook');
}

function pick(found: FoundByEmail, emails: readonly string[]): FoundByEmail {
  return new Map(emails.map((email) => [email, found.get(email) ?? []]));
}

const RETRY_AFTER_MS = 1_000;
/** Between the deadlines of requests that came together. */
const SAME_MOMENT_MS = 50;

export interface Lookups {
  find(ask: Lookup): Promise<FoundByEmail>;
  isIdle(): boolean;
}

export interface Lookup {
  readonly emails: readonly string[];
  readonly want: Want;
  /** Look-ups with the same key may share a call, which then asks for the fields of all of them. */
  readonly key: string;
  readonly deadline: number;
  readonly permit: WorkPermit;
  open(deadline: number, permit: CallPermit, onProgress?: OnProgress): ContactPort;
}

interface Call extends Omit<Lookup, 'permit'> {
  readonly permit: CallPermit;
}

export type FoundByEmail = Map<string, readonly Contact[]>;

export interface LookupOptions {
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

interface Group {
  underWay: number;
  /** Is it looked at again when this turn of the event loop is over? */
  isDeferred: boolean;
  readonly waiting: Set<Waiter>;
  /** Calls off the next look at those who wait. */
  wake?: (() => void) | undefined;
}

interface Waiter {
  readonly ask: Lookup;
  /** Of the call that it waits for: first it waits for one. */
  progress: Progress | 'starting';
  /** It has no deadline of its own any more. */
  relyOnCall(): void;
  resolve(found: FoundByEmail): void;
  reject(error: unknown): void;
}
