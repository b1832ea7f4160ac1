import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SyncFailure, type SyncQueue } from '../../src/domain/sync.ts';
import { openSyncWorld, SYNC_CONTACTS, type SyncWorld } from '../support/sync-world.ts';

let world: SyncWorld;
beforeAll(async () => {
  world = await openSyncWorld();
  await world.setDestination();
  await world.stores.syncs.setConfiguration('hubspot', SYNC_CONTACTS);
});
afterAll(() => world.close());

const MINUTE = 60_000;

test('contacts.changed has what was committed before its run failed', async () => {
  const account = world.createAccount('hubspot', [{ firstName: 'Ada' }, { firstName: 'Bob' }]);
  await world.connect({ customerId: 'ambiguous', provider: 'hubspot', account });
  await world.runner.runDue();
  await world.stores.webhooks.create({
    url: 'https://hooks.example/x',
    eventTypes: ['contacts.changed'],
  });
  account.updatePerson(account.recordId(2), { firstName: 'Robert' });
  world.pass(20 * MINUTE);
  const broken = new SyncFailure('DESTINATION_UNREACHABLE', 'The connection ended.');
  await withAdvance(
    () => Promise.reject(broken),
    async () => {
      const [ran] = await world.runner.runDue();
      expect(ran?.result.kind).toBe('failed');
    },
  );
  expect(await changedIds('ambiguous')).toEqual([]);
  world.pass(2 * MINUTE);
  await world.runner.runDue();
  expect(await changedIds('ambiguous')).toEqual([account.recordId(2)]);
});

test('contacts.changed has what a process writes whose clock is behind that of the one that began', async () => {
  const account = world.createAccount('hubspot', [{ firstName: 'Ada' }]);
  await world.connect({ customerId: 'behind', provider: 'hubspot', account });
  await world.runner.runDue();
  account.updatePerson(account.recordId(1), { firstName: 'Augusta' });
  world.pass(20 * MINUTE);
  await runUnheld('behind');
  world.pass(-MINUTE);
  await world.runner.runDue();
  expect(await changedIds('behind')).toEqual([account.recordId(1)]);
});

test('a sync that is paused ends with the batch that it is writing, and continues when it is resumed', async () => {
  const people = Array.from({ length: 2_500 }, (_, index) => ({ firstName: `P${index}` }));
  const account = world.createAccount('hubspot', people);
  const target = { customerId: 'paused', providerName: 'hubspot', table: undefined } as const;
  await world.connect({ customerId: 'paused', provider: 'hubspot', account });
  const { advance } = world.database.syncQueue;
  await withAdvance(
    async (...page) => {
      await world.stores.syncs.changeSyncs(target, { to: 'pause' });
      return advance(...page);
    },
    async () => {
      const ran = await world.runner.runDue();
      expect(ran.map(({ result }) => result.kind)).toEqual(['yielded']);
    },
  );
  const [paused] = await world.syncsOf('paused', 'hubspot');
  expect(paused).toMatchObject({ status: 'PAUSED', progress: { records: 1_000 } });
  await world.stores.syncs.changeSyncs(target, { to: 'resume' });
  await world.runner.runDue();
  const [resumed] = await world.syncsOf('paused', 'hubspot');
  expect(resumed?.runs.at(-1)).toMatchObject({ isFull: true, records: 2_500, error: null });
});

/** Begins what is due, and loses the lease before anything is committed. */
async function runUnheld(customerId: string): Promise<void> {
  const { syncQueue } = world.database;
  const wanted = { lease: randomUUID(), leaseMs: MINUTE, free: 9, held: new Map() };
  for (const claimed of await syncQueue.claim(wanted)) {
    for (const due of await syncQueue.readDue(claimed)) {
      const isHeld = () => due.connection.customerId !== customerId;
      const result = await world.runner.run(due, () => false, { isHeld });
      expect(result.kind).toBe(isHeld() ? 'completed' : 'lost');
    }
    await syncQueue.release(claimed);
  }
}

async function withAdvance(advance: SyncQueue['advance'], work: () => Promise<void>) {
  const { syncQueue } = world.database;
  const before = syncQueue.advance;
  syncQueue.advance = advance;
  await work().finally(() => {
    syncQueue.advance = before;
  });
}

async function changedIds(customerId: string): Promise<readonly string[]> {
  const events = await world.stores.events.list({ customerId, after: undefined, limit: 50 });
  return events.flatMap((event) =>
    event.type === 'contacts.changed' ? (event.data.changed_ids as readonly string[]) : [],
  );
}
