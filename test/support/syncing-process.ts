/**
 * A process that runs syncs until it is killed: the product's storage, worker, calls to CRMs and destinations, with a
 * sandbox in another process. It is ahead of the CRMs' clocks by as much as their search lags, so that they need not be
 * waited for. Prints the outcome of each run as a line of JSON.
 */
import type { OAuthClient } from '../../src/domain/token-refresh.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { parseKeyRing } from '../../src/storage/key-ring.ts';
import { openSyncWorker } from '../../src/sync/worker.ts';
import { planEverything } from './plan-everything.ts';
import { createSyncRunner } from './sync-runner.ts';

const setup = JSON.parse(process.argv[2] ?? '{}') as SyncingSetup;
const clock = { ...systemClock, wall: () => systemClock.wall() + setup.aheadMs };
const database = await openDatabase(
  { url: setup.database },
  { keyRing: parseKeyRing(setup.keys), clock },
);
const runner = createSyncRunner({
  database,
  clock,
  sandboxOrigins: setup.sandboxOrigins,
  client: setup.client,
  onBatch: () => print({ batch: true }),
  onCall: () => print({ call: true }),
});
const worker = openSyncWorker({
  queue: database.syncQueue,
  removals: database.rowRemovals,
  clock,
  onError: (error) => print({ error: String(error) }),
  async run(due, slot) {
    const { customerId } = due.connection;
    print({ began: due.table, customerId });
    const result = await runner.run(due, slot.isOver, slot.lease);
    print({
      ended: due.table,
      customerId,
      kind: result.kind,
      errors: runner.errors.splice(0).map(String),
    });
  },
  remove: async () => {},
});
print({ ready: true });
for (;;) {
  await planEverything(database.syncPlans);
  await worker.pump();
  await new Promise<void>((resolve) => systemClock.schedule(50, resolve));
}

/** The times of all processes are of one clock. */
function print(line: object): void {
  const at = Number(process.hrtime.bigint() / 1_000n);
  process.stdout.write(`${JSON.stringify({ ...line, at })}\n`);
}

export interface SyncingSetup {
  readonly database: string;
  readonly keys: string;
  readonly sandboxOrigins: readonly string[];
  readonly client: OAuthClient;
  readonly aheadMs: number;
}
