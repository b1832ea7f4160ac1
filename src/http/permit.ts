import { CrossbookError } from '../domain/errors.ts';
import type { Resume, WorkPermit } from '../domain/resources.ts';

/** One request's permit. It is given back once, whatever the request was doing at that moment. */
export class Permit implements RequestPermit {
  readonly owner: Owner;
  readonly part: ConnectionPermits;
  readonly #places: PermitPool;
  #state: 'new' | 'queued' | 'running' | 'waiting' | 'resuming' | 'over' = 'new';
  #waits = 0;
  #isGone = false;
  #callbacks: Set<() => void> | undefined;
  #holds: Releasable[] | undefined;
  #queued: { resolve(): void; reject(error: CrossbookError): void } | undefined;

  constructor({ owner, part, places }: Belongings) {
    this.owner = owner;
    this.part = part;
    this.#places = places;
  }

  acquire(): Promise<void> | undefined {
    if (this.#state !== 'new') throw gone();
    const problem = this.#places.findProblem(this);
    if (problem) {
      this.release();
      throw problem;
    }
    return this.#inTurn(this.#takeOrQueue('queued'), true);
  }

  pause(): Resume {
    if (this.#isGone) throw gone();
    this.#waits += 1;
    if (this.#state === 'running') {
      this.#setWaiting();
      this.#places.free(this);
    } else if (this.#state === 'resuming') {
      // It waits for a provider again, and needs no place until that is over as well.
      this.#places.dequeue(this);
      this.#setWaiting();
      this.#queued?.resolve();
    }
    let isOver = false;
    return () => {
      if (isOver) return undefined;
      isOver = true;
      return this.#resume();
    };
  }

  takeTurn(): Promise<void> | undefined {
    return this.#places.takeTurn(this);
  }

  countFollowers(): number {
    return this.#places.countNew(this);
  }

  whenGone(callback: () => void): () => void {
    this.#callbacks ??= new Set();
    if (this.#isGone) callback();
    else this.#callbacks.add(callback);
    return () => this.#callbacks?.delete(callback);
  }

  keep(hold: Releasable): void {
    if (this.#state === 'over') hold.release();
    else {
      this.#holds ??= [];
      this.#holds.push(hold);
    }
  }

  release(): void {
    const was = this.#state;
    this.#state = 'over';
    if (was === 'over') return;
    if (was === 'waiting') this.owner.waiting -= 1;
    if (was === 'queued' || was === 'resuming') this.#places.dequeue(this);
    this.#queued?.resolve();
    this.#places.forget(this);
    if (was === 'running') this.#places.free(this);
    for (const hold of this.#holds ?? []) hold.release();
  }

  abandon(): void {
    if (this.#state === 'over') return;
    this.#isGone = true;
    this.#queued?.reject(gone());
    this.release();
    for (const callback of this.#callbacks ?? []) callback();
  }

  grant(): void {
    this.#state = 'running';
    this.#queued?.resolve();
  }

  refuse(error: CrossbookError): void {
    this.#queued?.reject(error);
    this.release();
  }

  get isResuming(): boolean {
    return this.#state === 'resuming';
  }

  #resume(): Promise<void> | undefined {
    this.#waits -= 1;
    if (this.#isGone) throw gone();
    if (this.#waits > 0 || this.#state !== 'waiting') return undefined;
    this.owner.waiting -= 1;
    return this.#inTurn(this.#takeOrQueue('resuming'), false);
  }

  /** With its place, the request waits for its application's turn. */
  #inTurn(placed: Promise<void> | undefined, isNew: boolean): Promise<void> | undefined {
    const turn = placed
      ? placed.then(() => this.#places.takeTurn(this, isNew))
      : this.#places.takeTurn(this, isNew);
    return turn?.then(() => {
      if (this.#isGone) throw gone();
    });
  }

  #takeOrQueue(state: 'queued' | 'resuming'): Promise<void> | undefined {
    if (this.#places.take(this)) {
      this.#state = 'running';
      return undefined;
    }
    this.#state = state;
    const granted = new Promise<void>((resolve, reject) => {
      this.#queued = { resolve, reject };
    });
    this.#places.enqueue(this);
    return granted;
  }

  #setWaiting(): void {
    this.#state = 'waiting';
    this.owner.waiting += 1;
  }
}

function gone(): CrossbookError {
  return new CrossbookError('SERVICE_UNAVAILABLE', 'The client has closed its connection.');
}

type Releasable = Parameters<WorkPermit['keep']>[0];

export interface RequestPermit extends WorkPermit {
  /** Undefined: taken at once. A promise: it queues. Throws or rejects with SERVICE_UNAVAILABLE. */
  acquire(): Promise<void> | undefined;
  /** The request is answered. Does nothing the second time. */
  release(): void;
  /** The client has gone: gives back as `release` does, and lets no further wait for a provider begin or end well. */
  abandon(): void;
}

/** An application, or all strangers together. */
export interface Owner {
  readonly name: string;
  /** The most that it may have at once. */
  readonly places: number;
  running: number;
  /** For providers. */
  waiting: number;
  /** Open ones, in whatever state. */
  permits: number;
  readonly fresh: Set<Permit>;
  /** After a wait for a provider: they come first, because they hold what was fetched. */
  readonly resuming: Set<Permit>;
  /** Of its connections that have a permit. */
  readonly parts: Map<string, ConnectionPermits>;
}

/** One connection of an owner; requests that name none in their headers are one together. */
export interface ConnectionPermits {
  readonly name: string;
  running: number;
  /** New ones. */
  queued: number;
  permits: number;
}

interface Belongings {
  readonly owner: Owner;
  readonly part: ConnectionPermits;
  readonly places: PermitPool;
}

/** What a permit asks of the limit that it belongs to. */
export interface PermitPool {
  /** Why a new request may not even queue. */
  findProblem(permit: Permit): CrossbookError | undefined;
  /** False: there is none for its owner now. */
  take(permit: Permit): boolean;
  free(permit: Permit): void;
  takeTurn(permit: Permit, isNew?: boolean): Promise<void> | undefined;
  /** How many requests of its owner wait to begin. */
  countNew(permit: Permit): number;
  enqueue(permit: Permit): void;
  dequeue(permit: Permit): void;
  forget(permit: Permit): void;
}
