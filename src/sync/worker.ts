import { randomUUID } from 'node:crypto';
import { FairShares, shareOf } from '../admission/fair-shares.ts';
import {
  type ClaimedConnection,
  type ClaimedRemoval,
  type DueSync,
  type RowRemovals,
  SYNC_LEASE_MS,
  type SyncQueue,
} from '../domain/sync.ts';
import { backgroundClock, type Clock } from '../lib/clock.ts';
import { openPump } from '../lib/pump.ts';

/**
 * Runs due syncs of all applications, in slots that these share fairly. A connection has one slot, whatever it syncs,
 * and gives it back after a minute if others wait, and while its destination does not respond. The lease is extended while it has the slot; where this process is
 * killed, or stopped for too long, another one continues.
 */
export function openSyncWorker(deps: WorkerDeps) {
  const { queue, removals, clock } = deps;
  const { schedule = backgroundClock.schedule } = deps;
  const slots = new FairShares(MAX_CONNECTIONS);
  const hanging = new FairShares(MAX_HANGING);
  const { pump, start, isStopping, stop } = openPump({ claim, onError: deps.onError });
  let isRemoving = false;
  return { pump, stop };

  async function claim(): Promise<void> {
    const lease = randomUUID();
    if (!isRemoving) {
      const removal = await removals.claim(lease, SYNC_LEASE_MS);
      if (removal) startRemoving(removal);
    }
    if (slots.free <= 0) return;
    const { free } = slots;
    const claimedAt = clock.now();
    const held = addUp(slots.held, hanging.held);
    const claimed = await queue.claim({ lease, leaseMs: SYNC_LEASE_MS, free, held });
    for (const connection of claimed) {
      const slot = takeSlot(connection.applicationId);
      start(serve(connection, { claimedAt, slot }).finally(slot.release));
    }
  }

  /** An application's connections count towards its share also while they hang. */
  function takeSlot(applicationId: string) {
    const shares = shareOf(applicationId);
    let place = slots;
    slots.take(shares);
    const moveTo = (other: FairShares) => {
      place.release(shares);
      other.take(shares);
      place = other;
    };
    return {
      release: () => place.release(shares),
      /** Waits for the destination, after some seconds without the slot. Then the slots may be exceeded for a moment. */
      async waitFor<T>(response: Promise<T>): Promise<T> {
        const cancel = schedule(HANGS_AFTER_MS, () => {
          if (!hanging.mayTake(shares)) return;
          moveTo(hanging);
          pump().catch(deps.onError);
        });
        try {
          return await response;
        } finally {
          cancel();
          if (place === hanging) moveTo(slots);
        }
      },
    };
  }

  function startRemoving(removal: ClaimedRemoval): void {
    isRemoving = true;
    start(
      deps.remove(removal).finally(() => {
        isRemoving = false;
      }),
    );
  }

  async function serve(claimed: ClaimedConnection, { claimedAt, slot }: Served): Promise<void> {
    const { waitFor } = slot;
    const lease = keepExtending(claimed, claimedAt);
    const until = clock.now() + SLICE_MS;
    const isOver = () => isStopping() || clock.now() >= until || !lease.isHeld();
    try {
      for (const due of await queue.readDue(claimed)) {
        await deps.run(due, { lease, isOver, waitFor });
        if (isOver()) break;
      }
    } finally {
      lease.stop();
      await queue.release(claimed).catch(deps.onError);
    }
  }

  /**
   * Extends the lease of a connection until it is stopped. This process treats it as lost `MARGIN_MS` before it
   * expires, and measures from its own request: the database grants the lease a little later.
   */
  function keepExtending(claimed: ClaimedConnection, claimedAt: number) {
    let heldUntil = claimedAt + SYNC_LEASE_MS - MARGIN_MS;
    let isOver = false;
    let cancel = schedule(EXTEND_EVERY_MS, extend);
    return {
      isHeld: () => clock.now() < heldUntil,
      stop(): void {
        isOver = true;
        cancel();
      },
    };

    function extend(): void {
      const claimedAt = clock.now();
      queue
        .extend(claimed)
        .then((isMine) => {
          heldUntil = isMine ? claimedAt + SYNC_LEASE_MS - MARGIN_MS : 0;
        })
        // The next one may reach the database.
        .catch(deps.onError)
        .finally(() => {
          if (!isOver) cancel = schedule(EXTEND_EVERY_MS, extend);
        });
    }
  }
}

function addUp(...all: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [owner, count] of all.flatMap((held) => [...held]))
    sums.set(owner, (sums.get(owner) ?? 0) + count);
  return sums;
}

/** Connections of which one process runs syncs at the same time; an application has at most a third. */
const MAX_CONNECTIONS = 9;
/** Connections that wait for their destination without a slot: each may have a batch in memory. */
const MAX_HANGING = 24;
const HANGS_AFTER_MS = 2_000;
const SLICE_MS = 60_000;
const EXTEND_EVERY_MS = 15_000;
const MARGIN_MS = 10_000;

export type SyncWorker = ReturnType<typeof openSyncWorker>;

/** What a run needs to know of its slot. */
export interface RunSlot {
  readonly lease: { isHeld(): boolean };
  isOver(): boolean;
  /** Waits for the destination, whose delay must not keep others from the slot. */
  waitFor<T>(response: Promise<T>): Promise<T>;
}

interface Served {
  readonly claimedAt: number;
  readonly slot: Pick<RunSlot, 'waitFor'>;
}

interface WorkerDeps {
  readonly queue: Pick<SyncQueue, 'claim' | 'readDue' | 'extend' | 'release'>;
  readonly removals: Pick<RowRemovals, 'claim'>;
  readonly clock: Pick<Clock, 'now'>;
  run(due: DueSync, slot: RunSlot): Promise<void>;
  remove(removal: ClaimedRemoval): Promise<void>;
  onError(error: unknown): void;
  readonly schedule?: Clock['schedule'];
}
