import { AbandonedError, CrossbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { Signal } from '../lib/signal.ts';
import { FairShares, type Share } from './fair-shares.ts';
import { charge, type Hold, type Memory, type MemoryOwner } from './memory.ts';
import { SharedHolds } from './shared-holds.ts';
import type { Releasable, RequestWork } from './work.ts';

/**
 * The queue at the door. A process has one thread, and this queue shares it: fairly by application, and within an
 * application by connection. A request waits in it until it begins, and again, each time that it has milliseconds of
 * work to do, for its turn. Work that has begun comes before requests of its application that have not.
 *
 * - A request begins when it has its turn and a place. Places limit the requests that have begun, whatever they wait
 *   for, so that what they hold in memory is limited too.
 * - The queue is limited in length and in time: beyond that, requests are refused with a 503.
 * - Of one connection, the request that arrived first has the first turn: requests that are finished one after another
 *   hold less memory than requests that are all half done.
 * - Turns are given in time slices: an iteration of the event loop runs pieces of work until its slice is used up, and
 *   then lets the loop read sockets and timers.
 */
export class RequestQueue {
  readonly #begun: FairShares;
  readonly #queued: FairShares;
  readonly #options: Required<RequestQueueOptions>;
  readonly #sharedHolds: SharedHolds;
  /** Applications with waiting work, the least recently served first. */
  readonly #lines = new Map<string, Line>();
  readonly #refused = { queueFull: 0, queueTimeout: 0 };
  /** How many requests have entered. */
  #entered = 0;
  #enteredAt = Number.NEGATIVE_INFINITY;
  #waiting = 0;
  /** Nothing that waits can run, until something else is added or a place is free. */
  #isBlocked = false;
  /** Start of the time slice of this iteration of the event loop. */
  #sliceSince: number | undefined;
  #isScheduled = false;
  /** The request that was served last in this time slice. */
  #served: EnteredRequest | undefined;
  #cancelSweep: (() => void) | undefined;

  constructor(options: RequestQueueOptions) {
    this.#options = {
      defer: setImmediate,
      maxQueued: 2 * options.maxBegun,
      maxWaitMs: MAX_WAIT_MS,
      maxUnauthenticated: options.maxBegun,
      ...options,
    };
    this.#begun = new FairShares(options.maxBegun);
    this.#queued = new FairShares(this.#options.maxQueued);
    this.#sharedHolds = new SharedHolds(options.memory);
  }

  /** A request that has arrived. End it in any case. Without an application it is unauthenticated. */
  enter({ application = UNAUTHENTICATED, connection = '' }: RequestOwner): EnteredRequest {
    const name = `${application} ${connection}`;
    this.#entered += 1;
    this.#enteredAt = this.#options.clock.now();
    const parts = { queue: this, memory: this.#options.memory, sharedHolds: this.#sharedHolds };
    return new EnteredRequest(parts, this.#entered, {
      application,
      connection: name,
      shares: [
        { owner: application, ratio: APPLICATION_RATIO },
        { owner: name, ratio: CONNECTION_RATIO },
      ],
    });
  }

  counts() {
    return {
      running: this.#options.maxBegun - this.#begun.free,
      /** Requests without an application that have begun. */
      unauthenticated: this.#countUnauthenticated(),
      queued: this.#options.maxQueued - this.#queued.free,
      refused: this.#refused,
    };
  }

  /**
   * Whether another request would not be refused, whoever sends it: an application alone may take half of the places,
   * and a connection alone a third of the queue.
   */
  hasRoom(): boolean {
    const { maxBegun, maxQueued } = this.#options;
    return this.#begun.free > maxBegun / 2 && this.#queued.free > maxQueued * ROOM_IN_QUEUE;
  }

  /** Whether there are requests, or were a moment ago: background jobs then leave the thread to them. */
  isInUse(): boolean {
    return (
      this.#begun.free < this.#options.maxBegun ||
      this.#options.clock.now() - this.#enteredAt < IN_USE_MS
    );
  }

  /** Resolves when the request has begun. Throws if it cannot wait, and rejects if it has waited too long. */
  begin(request: EnteredRequest): Promise<void> | undefined {
    const { owner } = request;
    if (this.#hasPlace(owner) && !this.#isOvertaking && this.#mayRunNow(request)) {
      this.#begun.take(owner.shares);
      request.state = 'begun';
      return undefined;
    }
    if (!this.#queued.mayTake(owner.shares)) throw this.#overloaded('queueFull');
    this.#queued.take(owner.shares);
    request.state = 'queued';
    return new Promise((resolve, reject) => {
      const since = this.#options.clock.now();
      this.#add('starts', { request, since, resolve, reject });
      this.#cancelSweep ??= this.#options.clock.schedule(this.#options.maxWaitMs, () =>
        this.#sweep(),
      );
    });
  }

  /** Resolves when it is the turn of a request that has begun. */
  takeTurn(request: EnteredRequest): Promise<void> | undefined {
    if (this.#mayRunNow(request)) return undefined;
    return new Promise((resolve, reject) => {
      this.#add('turns', { request, since: this.#options.clock.now(), resolve, reject });
    });
  }

  /** Frees the place of a request that has begun. One that is queued leaves the queue. */
  leave(request: EnteredRequest): void {
    const { application, connection, shares } = request.owner;
    if (request.state === 'begun') {
      this.#begun.release(shares);
      if (this.#waiting > 0) this.#wake();
    }
    if (request.state !== 'queued') return;
    for (const waiting of this.#lines.get(application)?.starts.get(connection) ?? [])
      if (waiting.request === request) this.#remove(waiting, new AbandonedError());
  }

  countQueued({ application, connection }: Owner): number {
    return this.#lines.get(application)?.starts.get(connection)?.size ?? 0;
  }

  /** A request is queued that may have its place by now: it comes first. */
  get #isOvertaking(): boolean {
    return this.#queued.free < this.#options.maxQueued && !this.#isBlocked;
  }

  #countUnauthenticated(): number {
    return this.#begun.held.get(UNAUTHENTICATED) ?? 0;
  }

  #hasPlace({ application, shares }: Owner): boolean {
    const { maxUnauthenticated } = this.#options;
    if (application === UNAUTHENTICATED && this.#countUnauthenticated() >= maxUnauthenticated)
      return false;
    return this.#begun.mayTake(shares);
  }

  /** Work continues at once while nothing else can run, or while the slice lasts in which its request was served. */
  #mayRunNow(request: EnteredRequest): boolean {
    const isAlone = this.#waiting === 0 || this.#isBlocked;
    if (isAlone && this.#sliceSince === undefined) {
      this.#sliceSince = this.#options.clock.now();
      this.#schedule();
      return true;
    }
    return (isAlone || request === this.#served) && this.#hasTime();
  }

  #hasTime(): boolean {
    const since = this.#sliceSince;
    return since !== undefined && this.#options.clock.now() - since < SLICE_MS;
  }

  #add(kind: keyof Line, waiting: Waiting): void {
    const { application, connection } = waiting.request.owner;
    const line = this.#lines.get(application) ?? { turns: new Map(), starts: new Map() };
    this.#lines.set(application, line);
    const queue = line[kind].get(connection) ?? new Set();
    line[kind].set(connection, queue.add(waiting));
    this.#waiting += 1;
    this.#wake();
  }

  #wake(): void {
    this.#isBlocked = false;
    this.#schedule();
  }

  #schedule(): void {
    if (!this.#isScheduled) this.#options.defer(() => this.#endSlice());
    this.#isScheduled = true;
  }

  /** Runs at the end of an iteration of the event loop. What waits is served in the next one. */
  #endSlice(): void {
    const { defer } = this.#options;
    this.#sliceSince = undefined;
    this.#served = undefined;
    this.#isScheduled = false;
    if (this.#waiting === 0 || this.#isBlocked) return;
    for (let piece = Math.min(this.#waiting, MAX_PIECES); piece > 0; piece -= 1)
      defer(() => this.#serve());
    this.#schedule();
  }

  /** Lets one piece of work run. */
  #serve(): void {
    this.#sliceSince ??= this.#options.clock.now();
    if (this.#waiting === 0 || !this.#hasTime()) return;
    const next = this.#takeNext();
    if (!next) {
      this.#isBlocked = true;
      return;
    }
    this.#waiting -= 1;
    this.#served = next.request;
    next.resolve();
  }

  #takeNext(): Waiting | undefined {
    for (const [application, line] of this.#lines) {
      const turn = takeOne(line.turns, findOldest);
      const next = turn ?? takeOne(line.starts, (queue) => this.#findFirst(queue));
      if (!next) continue;
      if (!turn) this.#givePlace(next.request);
      this.#lines.delete(application);
      if (line.turns.size + line.starts.size > 0) this.#lines.set(application, line);
      return next;
    }
    return undefined;
  }

  #findFirst([first]: Set<Waiting>): Waiting | undefined {
    return first && this.#hasPlace(first.request.owner) ? first : undefined;
  }

  #givePlace(request: EnteredRequest): void {
    this.#queued.release(request.owner.shares);
    this.#begun.take(request.owner.shares);
    request.state = 'begun';
  }

  #remove(waiting: Waiting, error: CrossbookError): void {
    const { application, connection, shares } = waiting.request.owner;
    const line = this.#lines.get(application);
    const queue = line?.starts.get(connection);
    if (!line || !queue?.delete(waiting)) return;
    if (queue.size === 0) line.starts.delete(connection);
    if (line.turns.size + line.starts.size === 0) this.#lines.delete(application);
    this.#waiting -= 1;
    this.#queued.release(shares);
    waiting.reject(error);
  }

  /** Refuses the requests that have waited too long. */
  #sweep(): void {
    const { clock, maxWaitMs } = this.#options;
    this.#cancelSweep = undefined;
    const before = clock.now() - maxWaitMs;
    let oldest = Number.POSITIVE_INFINITY;
    for (const { starts } of [...this.#lines.values()]) {
      for (const waiting of [...starts.values()].flatMap((queue) => [...queue])) {
        if (waiting.since <= before) this.#remove(waiting, this.#overloaded('queueTimeout'));
        else oldest = Math.min(oldest, waiting.since);
      }
    }
    if (oldest === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.max(SWEEP_EVERY_MS, oldest - before);
    this.#cancelSweep = clock.schedule(delayMs, () => this.#sweep());
  }

  #overloaded(reason: keyof typeof DETAILS): CrossbookError {
    this.#refused[reason] += 1;
    return new CrossbookError('SERVICE_UNAVAILABLE', DETAILS[reason], {
      retryAfterMs: RETRY_AFTER_MS,
    });
  }
}

/** Takes one of the connection that was served the longest time ago, of those where `choose` finds one. */
function takeOne(
  queues: Map<string, Set<Waiting>>,
  choose: (queue: Set<Waiting>) => Waiting | undefined,
): Waiting | undefined {
  for (const [connection, queue] of queues) {
    const chosen = choose(queue);
    if (!chosen) continue;
    queue.delete(chosen);
    queues.delete(connection);
    if (queue.size > 0) queues.set(connection, queue);
    return chosen;
  }
  return undefined;
}

/** Of the request that arrived first. */
function findOldest(queue: Set<Waiting>): Waiting | undefined {
  let oldest: Waiting | undefined;
  for (const waiting of queue)
    if (!oldest || waiting.request.number < oldest.request.number) oldest = waiting;
  return oldest;
}

/** A request from its arrival to its end: it arrives, is queued, has begun, has ended. */
export class EnteredRequest implements RequestWork {
  readonly owner: Owner;
  /** In the order of arrival. */
  readonly number: number;
  /** Set by the queue, until the end. */
  state: 'arrived' | 'queued' | 'begun' | 'ended' = 'arrived';
  readonly #queue: RequestQueue;
  readonly #memory: Memory;
  readonly #sharedHolds: SharedHolds;
  readonly signal = new Signal();
  #holds: Releasable[] | undefined;
  #reserved: Hold | undefined;

  constructor({ queue, memory, sharedHolds }: RequestParts, number: number, owner: Owner) {
    this.#queue = queue;
    this.#memory = memory;
    this.#sharedHolds = sharedHolds;
    this.number = number;
    this.owner = owner;
  }

  /** Undefined: begin at once. Throws or rejects with SERVICE_UNAVAILABLE. */
  begin(): Promise<void> | undefined {
    this.#checkClient();
    return this.#queue.begin(this)?.then(() => this.#checkClient());
  }

  takeTurn(): Promise<void> | undefined {
    this.#checkClient();
    return this.#queue.takeTurn(this)?.then(() => this.#checkClient());
  }

  countQueued(): number {
    return this.#queue.countQueued(this.owner);
  }

  reserve(bytes: number): void {
    if (!this.#reserved) {
      this.#reserved = this.#memory.open(this.#memoryOwner, 'fetched_data');
      this.keep(this.#reserved);
    }
    charge(this.#reserved, bytes);
  }

  use(shared: object, bytes: number): void {
    this.keep(this.#sharedHolds.use(shared, bytes, this.#memoryOwner));
  }

  get #memoryOwner(): MemoryOwner {
    const { application } = this.owner;
    return application === UNAUTHENTICATED ? {} : { application };
  }

  keep(hold: Releasable): void {
    this.#holds ??= [];
    if (this.state === 'ended') hold.release();
    else this.#holds.push(hold);
  }

  /** The client has disconnected: what the request waits for ends. */
  disconnect(): void {
    if (this.state === 'ended') return;
    if (this.state === 'queued') this.#queue.leave(this);
    this.signal.abort();
  }

  #checkClient(): void {
    if (this.signal.isAborted) throw new AbandonedError();
  }

  /** Called after the response. Idempotent. */
  end(): void {
    this.#queue.leave(this);
    this.state = 'ended';
    for (const hold of this.#holds?.splice(0) ?? []) hold.release();
  }
}

interface RequestParts {
  readonly queue: RequestQueue;
  readonly memory: Memory;
  readonly sharedHolds: SharedHolds;
}

const DETAILS = {
  queueFull: 'This caller has too many queued requests: try again.',
  queueTimeout: 'The server is overloaded, and the request was queued for too long: try again.',
};

/** The owner of all requests without a key or token: no application has this id. */
const UNAUTHENTICATED = '';
/** Of places and of the queue, an application alone gets half, a connection alone a third. */
const APPLICATION_RATIO = 1;
const CONNECTION_RATIO = 1 / 2;
/** The free part of the queue that counts as room. */
const ROOM_IN_QUEUE = 3 / 4;
const IN_USE_MS = 20;
const MAX_WAIT_MS = 5_000;
const SWEEP_EVERY_MS = 50;
const RETRY_AFTER_MS = 1_000;
/** The time slice of one iteration of the event loop: the delay that others see. */
const SLICE_MS = 5;
/** The maximum of waiting pieces that one iteration runs. */
const MAX_PIECES = 64;

/** What waits of one application, by connection: the least recently served first. */
interface Line {
  /** Requests that have begun and wait for a turn. */
  readonly turns: Map<string, Set<Waiting>>;
  /** Requests that have not begun. */
  readonly starts: Map<string, Set<Waiting>>;
}

interface Waiting {
  readonly request: EnteredRequest;
  readonly since: number;
  resolve(): void;
  reject(error: CrossbookError): void;
}

interface Owner {
  readonly application: string;
  /** Unique among all applications. */
  readonly connection: string;
  readonly shares: readonly Share[];
}

interface RequestOwner {
  readonly application?: string | undefined;
  /** The customer and the provider, as far as headers name them. */
  readonly connection?: string | undefined;
}

interface RequestQueueOptions {
  /** The maximum of requests that have begun, whatever they wait for. */
  readonly maxBegun: number;
  /** Maximum number of these without a key or token. */
  readonly maxUnauthenticated?: number;
  /** The maximum of requests that have not begun; twice `maxBegun` by default. */
  readonly maxQueued?: number;
  /** How long a request may wait until it begins. */
  readonly maxWaitMs?: number;
  readonly memory: Memory;
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
  /** Calls back in the next iteration of the event loop. */
  readonly defer?: (callback: () => void) => unknown;
}
