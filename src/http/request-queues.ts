import { CrossbookError } from '../domain/errors.ts';
import { type Clock, systemClock } from '../lib/clock.ts';

/** The queues of requests without a slot: which is next, and which is rejected. */
export function createRequestQueues({ max, canRun, ...options }: QueueOptions) {
  const { queuedPerSlot = QUEUED_PER_SLOT, schedule = systemClock.schedule } = options;
  /** Applications with queued requests, the least recently served first. */
  const queues = new Set<ApplicationSlots>();
  const timeouts = new Map<QueuedRequest, () => void>();
  const refused = { queueFull: 0, queueTimeout: 0 };

  return {
    enqueue(request: QueuedRequest, queue: Queue): void {
      const { application } = request.connection;
      application[queue].add(request);
      queues.add(application);
      if (queue === 'resuming') return;
      request.connection.queued += 1;
      const refuse = () => request.refuse(overloaded('queueTimeout'));
      timeouts.set(request, schedule(QUEUE_MS, refuse));
    },

    dequeue(request: QueuedRequest, queue: Queue): void {
      const { application } = request.connection;
      application[queue].delete(request);
      if (queue === 'queued') request.connection.queued -= 1;
      timeouts.get(request)?.();
      timeouts.delete(request);
      queues.delete(application);
      if (application.queued.size + application.resuming.size > 0) queues.add(application);
      request.deferred?.resolve();
    },

    /**
     * Picks the application with the fewest running requests among those below their limit, then its connection
     * likewise.
     */
    findNext(): QueuedRequest | undefined {
      let found: ApplicationSlots | undefined;
      for (const application of queues) {
        if (canRun(application) && application.running < (found?.running ?? max))
          found = application;
      }
      let first: QueuedRequest | undefined;
      for (const request of found?.resuming.size ? found.resuming : (found?.queued ?? [])) {
        if (request.connection.running < (first?.connection.running ?? max)) first = request;
        if (first?.connection.running === 0) break;
      }
      return first;
    },

    /**
     * Throws where the queue is full, unless a longer queue (of another connection, or another application) loses its
     * last request instead.
     */
    makeRoom({ connection }: QueuedRequest): void {
      const { queued, maxRunning, connections } = connection.application;
      let last: QueuedRequest | undefined;
      if (queued.size >= maxRunning * queuedPerSlot) {
        let longest = connection;
        for (const other of connections.values())
          if (other.queued > longest.queued) longest = other;
        if (longest.queued > connection.queued + 1)
          last = [...queued].findLast((request) => request.connection === longest);
      } else {
        if (timeouts.size < max * queuedPerSlot) return;
        let longest = queued;
        for (const other of queues) if (other.queued.size > longest.size) longest = other.queued;
        if (longest.size > queued.size + 1) last = [...longest].at(-1);
      }
      const error = overloaded('queueFull');
      if (!last) throw error;
      last.refuse(error);
    },

    /** Applications with queued requests. */
    nonEmpty: queues as ReadonlySet<ApplicationSlots>,
    counts() {
      let queued = 0;
      for (const application of queues)
        queued += application.queued.size + application.resuming.size;
      return { queued, refused };
    },
  };

  function overloaded(reason: keyof typeof DETAILS): CrossbookError {
    refused[reason] += 1;
    return new CrossbookError('SERVICE_UNAVAILABLE', DETAILS[reason], {
      retryAfterMs: RETRY_AFTER_MS,
    });
  }
}

const DETAILS = {
  queueFull: 'As many requests as possible are being answered: try again.',
  queueTimeout:
    'As many requests as possible are being answered, for longer than this one could queue: try again.',
};

/** A longer queue would only add latency. */
const QUEUED_PER_SLOT = 32;
const QUEUE_MS = 1_000;
const RETRY_AFTER_MS = 1_000;

/** The slots of an application, or of all unauthenticated requests. */
export interface ApplicationSlots {
  readonly name: string;
  readonly maxRunning: number;
  running: number;
  readonly queued: Set<QueuedRequest>;
  /** Requests that return from a provider. They come first, because they hold fetched data. */
  readonly resuming: Set<QueuedRequest>;
  /** Connections with an open permit in any state. */
  readonly connections: Map<string, ConnectionSlots>;
}

/** The slots of one connection; requests without connection headers share one entry. */
export interface ConnectionSlots {
  readonly name: string;
  readonly application: ApplicationSlots;
  running: number;
  queued: number;
  permits: number;
}

export type Queue = 'queued' | 'resuming';

interface QueuedRequest {
  readonly connection: ConnectionSlots;
  readonly deferred: { resolve(): void } | undefined;
  grant(): void;
  refuse(error: CrossbookError): void;
}

export interface QueueOptions {
  /** The number of slots. */
  readonly max: number;
  canRun(application: ApplicationSlots): boolean;
  readonly queuedPerSlot?: number | undefined;
  readonly schedule?: Clock['schedule'] | undefined;
}
