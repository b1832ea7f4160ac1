import { CrossbookError } from '../domain/errors.ts';
import { type Clock, systemClock } from '../lib/clock.ts';

/** The queues of requests that find no slot: which of them is next, and which is refused. */
export function createRequestQueues({ max, canRun, ...options }: QueueOptions) {
  const { queuedPerSlot = QUEUED_PER_SLOT, schedule = systemClock.schedule } = options;
  /** Applications with a queue: the one that was served longest ago is the first. */
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
      request.granted?.resolve();
    },

    /** Of the applications that may have another slot, the one that has the fewest; of its connections likewise. */
    findNext(): QueuedRequest | undefined {
      let found: ApplicationSlots | undefined;
      for (const application of queues) {
        if (canRun(application) && application.running < (found?.running ?? max)) found = application;
      }
      let first: QueuedRequest | undefined;
      for (const request of found?.resuming.size ? found.resuming : (found?.queued ?? [])) {
        if (request.connection.running < (first?.connection.running ?? max)) first = request;
        if (first?.connection.running === 0) break;
      }
      return first;
    },

    /** Throws where the queue is full. A longer one gives way, from its end: of its connections, or of all applications. */
    makeRoom({ connection }: QueuedRequest): void {
      const { queued, maxRunning, connections } = connection.application;
      let last: QueuedRequest | undefined;
      if (queued.size >= maxRunning * queuedPerSlot) {
        let longest = connection;
        for (const other of connections.values()) if (other.queued > longest.queued) longest = other;
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

    /** Applications with a queue. */
    waiting: queues as ReadonlySet<ApplicationSlots>,
    counts() {
      let queued = 0;
      for (const application of queues) queued += application.queued.size + application.resuming.size;
      return { queued, refused };
    },
  };

  function overloaded(reason: keyof typeof DETAILS): CrossbookError {
    refused[reason] += 1;
    return new CrossbookError('SERVICE_UNAVAILABLE', DETAILS[reason], { retryAfterMs: RETRY_AFTER_MS });
  }
}

const DETAILS = {
  queueFull: 'As many requests as possible are being answered: try again.',
  queueTimeout:
    'As many requests as possible are being answered, for longer than this one could queue: try again.',
};

/** With more queued at once no answer comes sooner. */
const QUEUED_PER_SLOT = 32;
const QUEUE_MS = 1_000;
const RETRY_AFTER_MS = 1_000;

/** An application, or all strangers together. */
export interface ApplicationSlots {
  readonly name: string;
  readonly maxRunning: number;
  running: number;
  readonly queued: Set<QueuedRequest>;
  /** After a wait for a provider: they come first, because they hold what was fetched. */
  readonly resuming: Set<QueuedRequest>;
  /** Those that have an open permit, in whatever state. */
  readonly connections: Map<string, ConnectionSlots>;
}

/** One connection of an application; requests that name none in their headers are one together. */
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
  readonly granted: { resolve(): void } | undefined;
  grant(): void;
  refuse(error: CrossbookError): void;
}

export interface QueueOptions {
  /** Slots. */
  readonly max: number;
  canRun(application: ApplicationSlots): boolean;
  readonly queuedPerSlot?: number | undefined;
  readonly schedule?: Clock['schedule'] | undefined;
}
