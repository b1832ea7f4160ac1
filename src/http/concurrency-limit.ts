import { AbandonedError, type CrossbookError } from '../domain/errors.ts';
import type { Hold, Resume, WorkPermit } from '../domain/resources.ts';
import type { FairScheduler } from '../lib/fair-scheduler.ts';
import {
  type ApplicationSlots,
  type ConnectionSlots,
  createRequestQueues,
  type Queue,
  type QueueOptions,
} from './request-queues.ts';

/**
 * The concurrency limit (load shedding): how many requests run at once, and how the slots are shared fairly. Each
 * application has slots of its own; unauthenticated requests share one small group. A single application, or a single
 * connection of it, may use nearly all slots. Under contention a free slot goes to the application with the fewest
 * running requests, within it to the connection with the fewest, and there to the oldest request. A request that
 * waits for a provider gives its slot back; the rate limiter and timeouts of the provider bound that wait.
 */
export function createConcurrencyLimit(options: ConcurrencyOptions) {
  const { max, maxStrangers, cpuScheduler, queuedPerSlot, schedule } = options;
  const maxPerApplication = max > 1 ? max - Math.max(1, Math.floor(max * RESERVED_SHARE)) : max;
  const maxUnauthenticated = Math.min(maxStrangers, Math.ceil(max * UNAUTHENTICATED_SHARE));
  const applications = new Map<string, ApplicationSlots>();
  const queues = createRequestQueues({ max, canRun, queuedPerSlot, schedule });
  const slots: Slots = { canRun, setState, queues, cpuScheduler };
  let running = 0;
  let waiting = 0;

  return {
    /**
     * A permit that is not acquired yet; the caller must release it in any case. Without an application it is
     * unauthenticated.
     */
    open(name = UNAUTHENTICATED, connectionName = ''): RequestPermit {
      const application = applications.get(name) ?? createApplication(name);
      const { connections } = application;
      const known = connections.get(connectionName);
      const connection = known ?? {
        name: connectionName,
        application,
        running: 0,
        queued: 0,
        permits: 0,
      };
      if (!known) connections.set(connectionName, connection);
      connection.permits += 1;
      return new Permit(slots, connection);
    },
    counts: () => ({
      running,
      /** Requests that wait for a provider. */
      waiting,
      /** Running requests without an application. */
      strangers: applications.get(UNAUTHENTICATED)?.running ?? 0,
      ...queues.counts(),
    }),
  };

  function createApplication(name: string): ApplicationSlots {
    const application: ApplicationSlots = {
      name,
      maxRunning: name === UNAUTHENTICATED ? maxUnauthenticated : maxPerApplication,
      running: 0,
      queued: new Set(),
      resuming: new Set(),
      connections: new Map(),
    };
    applications.set(name, application);
    return application;
  }

  function canRun(application: ApplicationSlots): boolean {
    return running < max && application.running < application.maxRunning;
  }

  /** The counts follow from the states of the permits. A slot that becomes free goes to the queues. */
  function setState(permit: Permit, state: Permit['state']): void {
    const before = permit.state;
    permit.state = state;
    if (before === 'running') countRunning(permit, -1);
    else if (before === 'waiting') waiting -= 1;
    else if (before === 'queued' || before === 'resuming') queues.dequeue(permit, before);
    if (state === 'running') countRunning(permit, 1);
    else if (state === 'waiting') waiting += 1;
    else if (state === 'queued' || state === 'resuming') queues.enqueue(permit, state);
    else forget(permit);
    if (before !== 'running' || queues.nonEmpty.size === 0) return;
    for (let next = queues.findNext(); next; next = queues.findNext()) next.grant();
  }

  function countRunning({ connection }: Permit, by: number): void {
    running += by;
    connection.application.running += by;
    connection.running += by;
  }

  function forget({ connection }: Permit): void {
    const { name, application } = connection;
    connection.permits -= 1;
    if (connection.permits === 0) application.connections.delete(name);
    if (application.connections.size === 0) applications.delete(application.name);
  }
}

/** The permit of one request. Releasing is idempotent and works in every state. */
class Permit implements RequestPermit {
  readonly connection: ConnectionSlots;
  state: 'new' | 'queued' | 'running' | 'waiting' | 'resuming' | 'released' = 'new';
  /** Settles the promise of a queued request. */
  deferred: { resolve(): void; reject(error: CrossbookError): void } | undefined;
  readonly #slots: Slots;
  #waits = 0;
  #isGone = false;
  #callbacks: Set<() => void> | undefined;
  #holds: Pick<Hold, 'release'>[] | undefined;

  constructor(slots: Slots, connection: ConnectionSlots) {
    this.#slots = slots;
    this.connection = connection;
  }

  acquire(): Promise<void> | undefined {
    if (this.state !== 'new') throw new AbandonedError();
    const { canRun, queues } = this.#slots;
    try {
      if (!canRun(this.connection.application)) queues.makeRoom(this);
    } catch (error) {
      this.release();
      throw error;
    }
    return this.#start('queued');
  }

  pause(): Resume {
    if (this.#isGone) throw new AbandonedError();
    this.#waits += 1;
    // While it was queued to resume, the request began another provider wait: it leaves the queue and re-queues after
    // that wait.
    if (this.state === 'running' || this.state === 'resuming')
      this.#slots.setState(this, 'waiting');
    let isOver = false;
    return () => {
      if (isOver) return undefined;
      isOver = true;
      this.#waits -= 1;
      if (this.#isGone) throw new AbandonedError();
      return this.#waits > 0 || this.state !== 'waiting' ? undefined : this.#start('resuming');
    };
  }

  takeTurn(): Promise<void> | undefined {
    return this.#slots.cpuScheduler.take(this.connection.application.name);
  }

  countNotBegun(): number {
    const { name, queued } = this.connection.application;
    return queued.size + this.#slots.cpuScheduler.countNew(name);
  }

  whenGone(callback: () => void): () => void {
    this.#callbacks ??= new Set();
    if (this.#isGone) callback();
    else this.#callbacks.add(callback);
    return () => this.#callbacks?.delete(callback);
  }

  keep(hold: Pick<Hold, 'release'>): void {
    this.#holds ??= [];
    if (this.state === 'released') hold.release();
    else this.#holds.push(hold);
  }

  release(): void {
    if (this.state === 'released') return;
    this.#slots.setState(this, 'released');
    for (const hold of this.#holds ?? []) hold.release();
  }

  abandon(): void {
    if (this.state === 'released') return;
    this.#isGone = true;
    this.refuse(new AbandonedError());
    for (const callback of this.#callbacks ?? []) callback();
  }

  grant(): void {
    this.#slots.setState(this, 'running');
  }

  refuse(error: CrossbookError): void {
    this.deferred?.reject(error);
    this.release();
  }

  /** Once it has a slot, the request still waits for a time slice of its application. */
  #start(queue: Queue): Promise<void> | undefined {
    const { canRun, setState, cpuScheduler } = this.#slots;
    const { application } = this.connection;
    let slice: Promise<void> | undefined;
    if (canRun(application)) {
      setState(this, 'running');
      slice = cpuScheduler.take(application.name, queue === 'queued');
    } else {
      const granted = new Promise<void>((resolve, reject) => {
        this.deferred = { resolve, reject };
      });
      setState(this, queue);
      slice = granted.then(() => cpuScheduler.take(application.name, queue === 'queued'));
    }
    return slice?.then(() => {
      if (this.#isGone) throw new AbandonedError();
    });
  }
}

/** The group of unauthenticated requests: no application has this id. */
const UNAUTHENTICATED = '';
/** The share of slots that one application alone cannot take; at least one slot where there are several. */
const RESERVED_SHARE = 0.05;
/** The largest share of all slots for unauthenticated requests. */
const UNAUTHENTICATED_SHARE = 0.25;

export type ConcurrencyLimit = ReturnType<typeof createConcurrencyLimit>;

/** What a permit needs of its limit. */
interface Slots extends Pick<QueueOptions, 'canRun'>, Pick<ConcurrencyOptions, 'cpuScheduler'> {
  readonly queues: ReturnType<typeof createRequestQueues>;
  setState(permit: Permit, state: Permit['state']): void;
}

export interface RequestPermit extends WorkPermit {
  /** Returns undefined when acquired at once, a promise when queued. Throws or rejects with SERVICE_UNAVAILABLE. */
  acquire(): Promise<void> | undefined;
  /** Called after the response. Idempotent. */
  release(): void;
  /**
   * The client has disconnected: releases the permit, and makes waits for a provider fail, both current and new ones.
   */
  abandon(): void;
}

interface ConcurrencyOptions extends Omit<QueueOptions, 'canRun'> {
  readonly maxStrangers: number;
  /** Shares CPU time fairly among applications. */
  readonly cpuScheduler: FairScheduler;
}
