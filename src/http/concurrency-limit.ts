import { CrossbookError } from '../domain/errors.ts';
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
 * The concurrency limit (load shedding): how many requests run at once, and how their slots are shared. A slot belongs to an
 * application; strangers together are one, with few slots. One application alone may have nearly all, and so may one
 * connection of it. While several want more than there is, a slot that becomes free goes to the application that has the
 * fewest, in it to the connection that has the fewest, and of that to the request that came first. A request that waits for a
 * provider has no slot, and is bounded by what it waits for.
 */
export function createConcurrencyLimit(options: ConcurrencyOptions) {
  const slots = createSlots(options);
  return {
    /** A permit that is still to be acquired, and to be released in any case. Without an application: a stranger's. */
    open: (application?: string, connection?: string): RequestPermit =>
      new Permit(slots, slots.open(application, connection)),
    counts: slots.counts,
  };
}

/** One request's permit. It is released once, whatever the request was doing at that moment. */
class Permit implements RequestPermit {
  readonly connection: ConnectionSlots;
  state: 'new' | 'queued' | 'running' | 'waiting' | 'resuming' | 'released' = 'new';
  /** The slot that it queues for. */
  granted: { resolve(): void; reject(error: CrossbookError): void } | undefined;
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
    if (this.state !== 'new') throw gone();
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
    if (this.#isGone) throw gone();
    this.#waits += 1;
    // Resuming: it waits for a provider again, and needs no slot until that is over as well.
    if (this.state === 'running' || this.state === 'resuming') this.#slots.setState(this, 'waiting');
    let isOver = false;
    return () => {
      if (isOver) return undefined;
      isOver = true;
      this.#waits -= 1;
      if (this.#isGone) throw gone();
      return this.#waits > 0 || this.state !== 'waiting' ? undefined : this.#start('resuming');
    };
  }

  takeTurn(): Promise<void> | undefined {
    return this.#slots.scheduler.take(this.connection.application.name);
  }

  countFollowers(): number {
    const { name, queued } = this.connection.application;
    return queued.size + this.#slots.scheduler.countNew(name);
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
    this.refuse(gone());
    for (const callback of this.#callbacks ?? []) callback();
  }

  grant(): void {
    this.#slots.setState(this, 'running');
  }

  refuse(error: CrossbookError): void {
    this.granted?.reject(error);
    this.release();
  }

  /** With a slot, at once or from the queue, the request waits for a time slice of its application. */
  #start(queue: Queue): Promise<void> | undefined {
    const { canRun, setState, scheduler } = this.#slots;
    const { application } = this.connection;
    let slice: Promise<void> | undefined;
    if (canRun(application)) {
      setState(this, 'running');
      slice = scheduler.take(application.name, queue === 'queued');
    } else {
      const granted = new Promise<void>((resolve, reject) => {
        this.granted = { resolve, reject };
      });
      setState(this, queue);
      slice = granted.then(() => scheduler.take(application.name, queue === 'queued'));
    }
    return slice?.then(() => {
      if (this.#isGone) throw gone();
    });
  }
}

function gone(): CrossbookError {
  return new CrossbookError('SERVICE_UNAVAILABLE', 'The client has closed its connection.');
}

/** What each state of a permit counts for. */
function createSlots({ max, maxStrangers, scheduler, queuedPerSlot, schedule }: ConcurrencyOptions) {
  const most = max > 1 ? max - Math.max(1, Math.floor(max * KEPT_FREE)) : max;
  const few = Math.min(maxStrangers, Math.ceil(max * STRANGERS_SHARE));
  const applications = new Map<string, ApplicationSlots>();
  const queues = createRequestQueues({ max, canRun, queuedPerSlot, schedule });
  let running = 0;
  let waiting = 0;

  return {
    open(name = STRANGERS, connectionName = ''): ConnectionSlots {
      const application = applications.get(name) ?? createApplication(name);
      const { connections } = application;
      const known = connections.get(connectionName);
      const connection = known ?? { name: connectionName, application, running: 0, queued: 0, permits: 0 };
      if (!known) connections.set(connectionName, connection);
      connection.permits += 1;
      return connection;
    },
    canRun,
    setState,
    queues,
    scheduler,
    counts: () => ({
      running,
      /** For providers. */
      waiting,
      /** Of those that run. */
      strangers: applications.get(STRANGERS)?.running ?? 0,
      ...queues.counts(),
    }),
  };

  function createApplication(name: string): ApplicationSlots {
    const application: ApplicationSlots = {
      name,
      maxRunning: name === STRANGERS ? few : most,
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

  /** Undoes what the old state counted for, and counts the new one. A slot that becomes free goes to the queues. */
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
    if (before !== 'running' || queues.waiting.size === 0) return;
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

/** No application has this id. */
const STRANGERS = '';
/** Of all slots, for other applications than the largest; one at least, where there are several. */
const KEPT_FREE = 0.05;
/** The most that strangers may have of all slots. */
const STRANGERS_SHARE = 0.25;

export type ConcurrencyLimit = ReturnType<typeof createConcurrencyLimit>;

type Slots = ReturnType<typeof createSlots>;

export interface RequestPermit extends WorkPermit {
  /** Undefined: acquired at once. A promise: it queues. Throws or rejects with SERVICE_UNAVAILABLE. */
  acquire(): Promise<void> | undefined;
  /** The request is answered. Does nothing the second time. */
  release(): void;
  /** The client has gone: releases it, and lets no further wait for a provider begin or end well. */
  abandon(): void;
}

interface ConcurrencyOptions extends Omit<QueueOptions, 'canRun'> {
  readonly maxStrangers: number;
  /** Shares the processor's time among applications. */
  readonly scheduler: FairScheduler;
}
