import { randomUUID } from 'node:crypto';
import type { DueSync } from '../../src/domain/sync.ts';
import type { OAuthClient } from '../../src/domain/token-refresh.ts';
import type { UsageOwner } from '../../src/domain/usage.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import { createRegistry } from '../../src/providers/registry.ts';
import type { Database } from '../../src/storage/database.ts';
import { createDestinations } from '../../src/sync/destinations.ts';
import type { RunSlot } from '../../src/sync/worker.ts';
import { toRunDeps } from '../../src/syncing.ts';
import { removeRows } from '../../src/usecases/remove-rows.ts';
import { runSync, type SyncResult } from '../../src/usecases/run-sync.ts';
import { planEverything } from './plan-everything.ts';
import { LOOPBACK_DESTINATIONS } from './sync-hosts.ts';

/**
 * Runs syncs as the product's worker does, step by step: no timer decides when. The database, the calls to CRMs and the
 * destinations are the product's own.
 */
export function createSyncRunner({
  database,
  sandboxOrigins,
  client,
  clock = systemClock,
  onBatch = () => {},
  onCall = () => {},
}: RunnerOptions) {
  const errors: unknown[] = [];
  const calls: UsageOwner[] = [];
  const providers = createRegistry();
  const outbound = createOutbound({
    providers,
    clock,
    sandboxOrigins,
    findOAuthClient: async () => client,
  });
  const destinations = createDestinations({ clock, hosts: LOOPBACK_DESTINATIONS });
  const { syncQueue: queue, rowRemovals: removals } = database;
  const log = {
    info: () => {},
    warn: () => {},
    error: (fields: object) => void errors.push(fields),
  };
  const onError = (error: unknown) => void errors.push(error);
  const running = {
    database,
    providers,
    outbound,
    clock,
    log,
    telemetry: {
      metrics: { syncRows: () => {} },
      usage: {
        called(owner: UsageOwner) {
          calls.push(owner);
          onCall();
        },
      },
    },
  };

  return {
    destinations,
    outbound,
    /** Whom each call to a CRM counts for. */
    calls,
    /** Errors that were bugs. */
    errors,

    /** Plans, and runs all that is due until nothing is. Returns the outcomes in order. */
    async runDue({ isOver = () => false }: { isOver?: () => boolean } = {}) {
      const outcomes: Ran[] = [];
      await planEverything(database.syncPlans);
      for (;;) {
        const claimed = await queue.claim({
          lease: randomUUID(),
          leaseMs: 60_000,
          free: 9,
          held: new Map(),
        });
        if (claimed.length === 0) return outcomes;
        for (const connection of claimed) {
          try {
            for (const due of await queue.readDue(connection)) {
              const result = await this.run(due, isOver);
              outcomes.push({ customerId: due.connection.customerId, table: due.table, result });
            }
          } finally {
            await queue.release(connection);
          }
        }
        if (isOver()) return outcomes;
      }
    },

    run(
      due: DueSync,
      isOver: () => boolean = () => false,
      lease: RunSlot['lease'] = { isHeld: () => true },
    ): Promise<SyncResult> {
      const deps = toRunDeps(running, due);
      const slot = { lease, isOver, waitFor: <T>(response: Promise<T>) => response };
      return runSync({ queue, destinations, ...deps, onWritten: onBatch, ...slot, onError }, due);
    },

    /** Tries the removals that are due. */
    async removeDue(): Promise<number> {
      for (let count = 0; ; count += 1) {
        const removal = await removals.claim(randomUUID(), 60_000);
        if (!removal) return count;
        const deps = { queue, removals, destinations, wall: clock.wall, onError: () => {} };
        await removeRows(deps, removal);
      }
    },

    async close(): Promise<void> {
      await Promise.all([outbound.close(), destinations.close()]);
    },
  };
}

interface Ran {
  readonly customerId: string;
  readonly table: string;
  readonly result: SyncResult;
}

interface RunnerOptions {
  readonly database: Database;
  readonly sandboxOrigins: readonly string[];
  readonly client: OAuthClient;
  readonly clock?: Clock;
  /** Called after each batch was recorded. */
  readonly onBatch?: () => void;
  /** Called after each call to a CRM. */
  readonly onCall?: () => void;
}
