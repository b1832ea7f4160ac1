import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemory } from '../../src/admission/memory.ts';
import { createSyncRunner } from '../support/sync-runner.ts';
import { openSyncWorld, SYNC_CONTACTS, type SyncWorld } from '../support/sync-world.ts';

let world: SyncWorld;
beforeAll(async () => {
  world = await openSyncWorld();
});
afterAll(() => world.close());

test.each([12, 40])(
  'large records get through a memory limit of %i MB, page by page',
  async (megabytes) => {
    const { database, clock, sandbox } = world;
    const customerId = `large-${megabytes}`;
    const people = Array(500).fill({ lastName: 'x'.repeat(20_000) });
    const account = world.createAccount('hubspot', people);
    await world.setDestination();
    await world.stores.syncs.setConfiguration('hubspot', SYNC_CONTACTS);
    await world.connect({ customerId, provider: 'hubspot', account });
    const runner = createSyncRunner({
      database,
      clock,
      sandboxOrigins: [sandbox.hubspot.origin],
      client: sandbox.hubspot.demo,
      memory: createMemory({ maxBytes: megabytes * 1e6 }),
    });
    let kind = '';
    for (let run = 0; run < 5 && kind !== 'completed'; run += 1) {
      world.pass(2_000);
      const outcomes = await runOnce(runner);
      kind = outcomes.at(-1) ?? '';
    }
    const [{ count }] = await world.rows(
      'select count(*)::int as count from crm.contacts where customer_id = $1',
      [customerId],
    );
    expect([kind, count]).toEqual(['completed', 500]);
    await runner.close();
  },
);

/** As the worker does: what yields is taken up in a later round. */
async function runOnce(runner: ReturnType<typeof createSyncRunner>): Promise<readonly string[]> {
  const outcomes = await runner.runDue();
  return outcomes.map(({ result }) => result.kind);
}
