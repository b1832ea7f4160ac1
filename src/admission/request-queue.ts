import { AbandonedError, CrossbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { Signal } from '../lib/signal.ts';
import { FairShares, type Share } from './fair-shares.ts';
import { type HeavyPlaces, LIGHT } from './heavy-places.ts';
import { type Defer, PerIteration } from './per-iteration.ts';
import type { RequestWork } from './work.ts';

/**
 * The queue at the door. A process has one thread, and this queue shares it: fairly by application, and within an
 * application by connection.
 *
 * - A request begins when it has a place. Places limit the requests that have begun, whatever they wait for, so that
 *   what they hold in memory is limited too.
 * - An iteration of the event loop begins a few requests, so that those of a busy application let others pass.
 * - The queue is limited in length and in time: beyond that, requests are refused with a 503.
 */
export class RequestQueue {
  readonly #begun: FairShares;
  readonly #queued: FairShares;
  readonly #options: Required<RequestQueueOptions>;
  /** Applications with queued requests by connection, the least recently served first. */
  readonly #lines = new Map<string, Line>();
  readonly #refused = { queueFull: 0, queueTimeout: 0 };
  readonly #begins: PerIteration;
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
    this.#begins = new PerIteration(BEGINS_PER_ITERATION, this.#options.defer, () => {
      if (this.#lines.size > 0) this.#serve();
    });
  }

  /** A request that has arrived. End it in any case. Without an application it is unauthenticated. */
  enter({ application = UNAUTHENTICATED, connection = '' }: RequestOwner): EnteredRequest {
    const name = `${application} ${connection}`;
    return new EnteredRequest(this, this.#options.heavy, {
      application,
      connection: name,
      shares: [
        { owner: application, ratio: APPLICATION_RATIO },
        { owner: name, ratio: CONNECTION_RATIO },
      ],
    });
  }

  counts() {
    const { maxBegun, maxQueued, heavy } = this.#options;
    return {
      running: maxBegun - this.#begun.free,
      /** Requests without an application that have begun. */
      unauthenticated: this.#countUnauthenticated(),
      queued: maxQueued - this.#queued.free,
      refused: this.#refused,
      heavy: heavy.places.counts(),
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

  /** Undefined: the request has begun. A promise: it is queued. Throws or rejects with a 503. */
  begin(request: EnteredRequest): Promise<void> | undefined {
    const { owner } = request;
    if (this.#lines.size === 0 && this.#hasPlace(owner) && this.#begins.hasLeft) {
      this.#begins.take();
      this.#takePlace(request);
      return undefined;
    }
    if (!this.#queued.mayTake(owner.shares)) throw this.#overloaded('queueFull');
    this.#queued.take(owner.shares);
    request.state = 'queued';
    return new Promise((resolve, reject) => {
      const since = this.#options.clock.now();
      this.#add({ request, since, resolve, reject });
      this.#cancelSweep ??= this.#options.clock.schedule(this.#options.maxWaitMs, () =>
        this.#sweep(),
      );
      this.#serve();
    });
  }

  /** Frees the place of a request that has begun. One that is queued leaves the queue. */
  leave(request: EnteredRequest): void {
    const { application, connection, shares } = request.owner;
    if (request.state === 'begun') {
      this.#begun.release(shares);
      if (this.#lines.size > 0) this.#serve();
    }
    if (request.state !== 'queued') return;
    for (const queued of this.#lines.get(application)?.get(connection) ?? [])
      if (queued.request === request) this.#remove(queued, new AbandonedError());
  }

  countQueued({ application, connection }: Owner): number {
    return this.#lines.get(application)?.get(connection)?.size ?? 0;
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

  #takePlace(request: EnteredRequest): void {
    this.#begun.take(request.owner.shares);
    request.state = 'begun';
  }

  #add(queued: Queued): void {
    const { application, connection } = queued.request.owner;
    const line: Line = this.#lines.get(application) ?? new Map();
    this.#lines.set(application, line);
    const queue = line.get(connection) ?? new Set();
    line.set(connection, queue.add(queued));
  }

  /** Begins queued requests that have a place. */
  #serve(): void {
    while (this.#begins.hasLeft && this.#begun.free > 0) {
      const next = this.#takeNext();
      if (!next) return;
      this.#begins.take();
      const { request } = next;
      this.#queued.release(request.owner.shares);
      this.#takePlace(request);
      next.resolve();
    }
  }

  /** Of the application, and of its connection, that was served the longest time ago. */
  #takeNext(): Queued | undefined {
    for (const [application, line] of this.#lines) {
      for (const [connection, queue] of line) {
        const [first] = queue;
        if (!first || !this.#hasPlace(first.request.owner)) continue;
        queue.delete(first);
        moveToEnd(line, connection, queue);
        moveToEnd(this.#lines, application, line);
        return first;
      }
    }
    return undefined;
  }

  #remove(queued: Queued, error: CrossbookError): void {
    const { application, connection, shares } = queued.request.owner;
    const line = this.#lines.get(application);
    const queue = line?.get(connection);
    if (!line || !queue?.delete(queued)) return;
    if (queue.size === 0) line.delete(connection);
    if (line.size === 0) this.#lines.delete(application);
    this.#queued.release(shares);
    queued.reject(error);
  }

  /** Refuses the requests that have waited too long. */
  #sweep(): void {
    const { clock, maxWaitMs } = this.#options;
    this.#cancelSweep = undefined;
    const before = clock.now() - maxWaitMs;
    let oldest = Number.POSITIVE_INFINITY;
    for (const line of [...this.#lines.values()]) {
      for (const queued of [...line.values()].flatMap((queue) => [...queue])) {
        if (queued.since <= before) this.#remove(queued, this.#overloaded('queueTimeout'));
        else oldest = Math.min(oldest, queued.since);
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

/** Maps keep insertion order. Without content it leaves. */
function moveToEnd<Value extends { readonly size: number }>(
  map: Map<string, Value>,
  key: string,
  value: Value,
): void {
  map.delete(key);
  if (value.size > 0) map.set(key, value);
}

/** A request from its arrival to its end: it arrives, is queued, has begun, has ended. */
export class EnteredRequest implements RequestWork {
  readonly owner: Owner;
  /** Set by the queue, until the end. */
  state: 'arrived' | 'queued' | 'begun' | 'ended' = 'arrived';
  readonly signal = new Signal();
  readonly #queue: RequestQueue;
  readonly #heavy: HeavyPlaces;
  /** Of CRMs and of the database. */
  #readBytes = 0;
  #takenBytes = 0;
  #isHeavy = false;
  /** The wait for a heavy place, which all parts of the request share. */
  #becoming: Promise<void> | undefined;

  constructor(queue: RequestQueue, heavy: HeavyPlaces, owner: Owner) {
    this.#queue = queue;
    this.#heavy = heavy;
    this.owner = owner;
  }

  /** Undefined: begin at once. Throws or rejects with SERVICE_UNAVAILABLE. */
  begin(): Promise<void> | undefined {
    this.#checkClient();
    return this.#queue.begin(this)?.then(() => this.#checkClient());
  }

  countQueued(): number {
    return this.#queue.countQueued(this.owner);
  }

  get isHeavy(): boolean {
    return this.#isHeavy;
  }

  beHeavy(maxWaiting?: number): Promise<void> | undefined {
    if (this.#isHeavy) return undefined;
    this.#becoming ??= this.#takeHeavyPlace(maxWaiting);
    return this.#becoming;
  }

  read(bytes: number): Promise<void> | undefined {
    this.#readBytes += bytes;
    if (this.#readBytes <= LIGHT.readBytes || this.state === 'ended') return undefined;
    if (this.#readBytes > this.#heavy.maxReadBytes) throw tooMuchRead(this.#heavy.maxReadBytes);
    // It holds what it has read so far, so only a few of these wait.
    return this.beHeavy(this.#heavy.max);
  }

  takeReadBytes(): number {
    const bytes = this.#readBytes - this.#takenBytes;
    this.#takenBytes = this.#readBytes;
    return bytes;
  }

  /** The client has disconnected: what the request waits for ends. */
  disconnect(): void {
    if (this.state === 'ended') return;
    if (this.state === 'queued') this.#queue.leave(this);
    this.signal.abort();
  }

  /** Called after the response. Idempotent. */
  end(): void {
    this.#queue.leave(this);
    this.state = 'ended';
    if (this.#isHeavy) this.#heavy.places.release(this.owner.application);
    this.#isHeavy = false;
  }

  #takeHeavyPlace(maxWaiting?: number): Promise<void> | undefined {
    const { signal } = this;
    const { places } = this.#heavy;
    const { application } = this.owner;
    const waiting = places.take(application, { signal, ...(maxWaiting && { maxWaiting }) });
    if (!waiting) this.#isHeavy = true;
    return waiting?.then(
      () => {
        this.#becoming = undefined;
        // Another part of the request may have failed meanwhile.
        if (this.state === 'ended') places.release(application);
        else this.#isHeavy = true;
        this.#checkClient();
      },
      (error) => {
        this.#becoming = undefined;
        this.#checkClient();
        throw error;
      },
    );
  }

  #checkClient(): void {
    if (this.signal.isAborted) throw new AbandonedError();
  }
}

function tooMuchRead(bytes: number): CrossbookError {
  return new CrossbookError(
    'BAD_REQUEST',
    `This request reads more than ${bytes} bytes of records: request fewer at once.`,
  );
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
const MAX_WAIT_MS = 5_000;
const SWEEP_EVERY_MS = 50;
const RETRY_AFTER_MS = 1_000;
/** Some milliseconds of work: the delay that others see. */
const BEGINS_PER_ITERATION = 16;

/** The queued requests of one application by connection, the least recently served first. */
type Line = Map<string, Set<Queued>>;

interface Queued {
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
  readonly heavy: HeavyPlaces;
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
  /** Calls back in the next iteration of the event loop. */
  readonly defer?: Defer;
}
