import { CrossbookError } from '../domain/errors.ts';
import { systemClock } from '../lib/clock.ts';
import type { FairScheduler } from '../lib/fair-scheduler.ts';
import { type ConnectionPermits, type Owner, Permit, type PermitPool, type RequestPermit } from './permit.ts';

/**
 * How many requests are at work at once, and how they are shared. A place belongs to an application; strangers together
 * are one, with few places. One application alone may have nearly all, and so may one connection of it. While several want
 * more than there is, a place that becomes free goes to the application that has the fewest, in it to the connection that
 * has the fewest, and of that to the request that came first. Waiting for a provider is not work, and is bounded by who
 * waits.
 */
export function createConcurrencyLimit({
  max,
  maxStrangers,
  scheduler,
  queuedPerPlace = QUEUED,
  schedule = systemClock.schedule,
}: Options): ConcurrencyLimit {
  const owners = new Map<string, Owner>();
  /** Owners of queued permits: the one that was served longest ago is the first. */
  const queues = new Set<Owner>();
  const timeouts = new Map<Permit, () => void>();
  const refused = { queueFull: 0, queueTimeout: 0 };
  let running = 0;

  const takeTurn: PermitPool['takeTurn'] = ({ owner }, isNew) => scheduler.take(owner.name, isNew);
  const countNew: PermitPool['countNew'] = ({ owner }) => owner.fresh.size + scheduler.countNew(owner.name);
  const places: PermitPool = { findProblem, take, free, takeTurn, countNew, enqueue, dequeue, forget };
  return {
    open(application = STRANGERS, connection = '') {
      const owner = owners.get(application) ?? createOwner(application);
      const part = owner.parts.get(connection) ?? { name: connection, running: 0, queued: 0, permits: 0 };
      owner.parts.set(connection, part);
      owner.permits += 1;
      part.permits += 1;
      return new Permit({ owner, part, places });
    },
    counts() {
      const waiting = sum(({ waiting }) => waiting);
      const queued = sum(({ fresh, resuming }) => fresh.size + resuming.size);
      return { running, queued, waiting, strangers: owners.get(STRANGERS)?.running ?? 0, refused };
    },
  };

  function createOwner(name: string): Owner {
    const most = max > 1 ? max - Math.max(1, Math.floor(max * KEPT_FREE)) : max;
    const few = Math.min(maxStrangers, Math.ceil(max * STRANGERS_SHARE));
    const owner = {
      name,
      places: name === STRANGERS ? few : most,
      running: 0,
      waiting: 0,
      permits: 0,
      fresh: new Set<Permit>(),
      resuming: new Set<Permit>(),
      parts: new Map<string, ConnectionPermits>(),
    };
    owners.set(name, owner);
    return owner;
  }

  function take({ owner, part }: Permit): boolean {
    if (running >= max || owner.running >= owner.places) return false;
    running += 1;
    owner.running += 1;
    part.running += 1;
    return true;
  }

  function free({ owner, part }: Permit): void {
    running -= 1;
    owner.running -= 1;
    part.running -= 1;
    for (let next = findNext(); next; next = findNext()) {
      const permit = findFirst(next.resuming.size > 0 ? next.resuming : next.fresh);
      if (!permit || !take(permit)) return;
      dequeue(permit);
      permit.grant();
    }
  }

  /** Of the connection that has the fewest places, the one that came first. */
  function findFirst(queue: ReadonlySet<Permit>): Permit | undefined {
    let found: Permit | undefined;
    for (const permit of queue) {
      if (permit.part.running < (found?.part.running ?? max)) found = permit;
      if (found?.part.running === 0) break;
    }
    return found;
  }

  /** Of those with a queue that may have another place, the one that has the fewest. */
  function findNext(): Owner | undefined {
    if (running >= max) return undefined;
    let found: Owner | undefined;
    for (const owner of queues) {
      if (owner.running < owner.places && owner.running < (found?.running ?? max)) found = owner;
    }
    return found;
  }

  function enqueue(permit: Permit): void {
    const { owner, part, isResuming } = permit;
    (isResuming ? owner.resuming : owner.fresh).add(permit);
    queues.add(owner);
    if (isResuming) return;
    part.queued += 1;
    const refuse = () => permit.refuse(overloaded('queueTimeout'));
    timeouts.set(permit, schedule(QUEUE_MS, refuse));
  }

  function dequeue(permit: Permit): void {
    const { owner, part } = permit;
    timeouts.get(permit)?.();
    timeouts.delete(permit);
    if (owner.fresh.delete(permit)) part.queued -= 1;
    owner.resuming.delete(permit);
    queues.delete(owner);
    if (owner.fresh.size + owner.resuming.size > 0) queues.add(owner);
  }

  function findProblem({ owner, part }: Permit): CrossbookError | undefined {
    const isQueueing = running >= max || owner.running >= owner.places;
    return isQueueing && !makeRoom(owner, part) ? overloaded('queueFull') : undefined;
  }

  /** The longest queue gives way to a shorter one, from its end: of its connections, or of all applications. */
  function makeRoom(owner: Owner, part: ConnectionPermits): boolean {
    if (owner.fresh.size >= owner.places * queuedPerPlace) return makeRoomFor(part, owner);
    if (timeouts.size < max * queuedPerPlace) return true;
    const longest = [...queues].reduce(
      (left, right) => (right.fresh.size > left.fresh.size ? right : left),
      owner,
    );
    if (longest.fresh.size <= owner.fresh.size + 1) return false;
    [...longest.fresh].at(-1)?.refuse(overloaded('queueFull'));
    return true;
  }

  function makeRoomFor(part: ConnectionPermits, owner: Owner): boolean {
    let longest = part;
    for (const other of owner.parts.values()) if (other.queued > longest.queued) longest = other;
    if (longest.queued <= part.queued + 1) return false;
    const last = [...owner.fresh].findLast((queued) => queued.part === longest);
    last?.refuse(overloaded('queueFull'));
    return true;
  }

  function forget({ owner, part }: Permit): void {
    owner.permits -= 1;
    part.permits -= 1;
    if (part.permits === 0) owner.parts.delete(part.name);
    if (owner.permits === 0) owners.delete(owner.name);
  }

  function sum(read: (owner: Owner) => number): number {
    let total = 0;
    for (const owner of owners.values()) total += read(owner);
    return total;
  }

  function overloaded(reason: keyof typeof refused): CrossbookError {
    refused[reason] += 1;
    const retryAfterMs = RETRY_AFTER_MS;
    return new CrossbookError('SERVICE_UNAVAILABLE', DETAILS[reason], { retryAfterMs });
  }
}

const DETAILS = {
  queueFull: 'As many requests as possible are being answered: try again.',
  queueTimeout:
    'As many requests as possible are being answered, for longer than this one could queue: try again.',
};

/** No application has this id. */
const STRANGERS = '';
/** Of all places, for other applications than the largest; one at least, where there are several. */
const KEPT_FREE = 0.05;
/** The most that strangers may have of all places. */
const STRANGERS_SHARE = 0.25;
/** For each place: with more at work at once no answer comes sooner. */
const QUEUED = 32;
const QUEUE_MS = 1_000;
const RETRY_AFTER_MS = 1_000;

export interface ConcurrencyLimit {
  /** A permit that is still to be acquired, and to be released in any case. Without an application: a stranger's. */
  open(application: string | undefined, connection?: string | undefined): RequestPermit;
  counts(): ConcurrencyCounts;
}

interface ConcurrencyCounts {
  readonly running: number;
  readonly queued: number;
  /** For providers. */
  readonly waiting: number;
  /** Of those that run. */
  readonly strangers: number;
  /** So far. */
  readonly refused: {
    readonly queueFull: number;
    readonly queueTimeout: number;
  };
}

interface Options {
  readonly max: number;
  readonly maxStrangers: number;
  readonly queuedPerPlace?: number | undefined;
  /** What shares the processor's time among owners. */
  readonly scheduler: FairScheduler;
  /** Calls back once, after the delay; the answer calls it off. */
  readonly schedule?: ((delayMs: number, callback: () => void) => () => void) | undefined;
}
