import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { linesOf } from '../support/compiled-storage.ts';
import { compileSyncing } from '../support/start-syncing.ts';
import { openSyncWorld, SYNC_CONTACTS, type SyncWorld } from '../support/sync-world.ts';

let syncing: ReturnType<typeof compileSyncing>;
let world: SyncWorld;
beforeAll(async () => {
  syncing = compileSyncing();
  world = await openSyncWorld();
  await world.setDestination();
  for (const provider of ['hubspot', 'salesforce'] as const)
    await world.stores.syncs.setConfiguration(provider, SYNC_CONTACTS);
});
afterAll(async () => {
  await world.close();
  syncing.remove();
});

const PEOPLE = Array.from({ length: 900 }, (_, index) => ({ email: `p${index}@two.example` }));
const CUSTOMERS = [0, 1, 2, 3, 4, 5].map((index) => ({
  customerId: `two-${index}`,
  provider: index % 2 === 0 ? ('hubspot' as const) : ('salesforce' as const),
}));

test('two processes share the syncs, each runs once at a time, and one continues those of the other', async () => {
  for (const { customerId, provider } of CUSTOMERS)
    await world.connect({ customerId, provider, account: world.createAccount(provider, PEOPLE) });
  const two = follow(syncing.start(world));
  const killed: (readonly Line[])[] = [];
  let left: readonly string[] = [];
  // Where the first has ended its last run by the time it is killed, another one is killed in its place.
  while (left.length === 0) {
    const one = follow(syncing.start(world));
    await startAll();
    await Promise.all([one, two].map((process) => process.until(({ began }) => began)));
    for (;;) {
      await one.next();
      if (one.lines.at(-1)?.batch && openOf(one.lines).length > 0) break;
      await startAll();
    }
    await one.kill();
    killed.push(one.lines);
    left = openOf(one.lines);
  }

  // Nobody waits for longer than a lease.
  const leases = await world.ourRows(
    `select extract(epoch from p.leased_until - now()) as seconds from crossbook.sync_plans p
     join crossbook.connections c on c.id = p.connection_id
     where c.customer_id = any ($1)`,
    [left],
  );
  expect(leases).toHaveLength(left.length);
  for (const { seconds } of leases) expect(Number(seconds)).toBeLessThanOrEqual(60);
  await world.ourRows(
    `update crossbook.sync_plans p set leased_until = now() from crossbook.connections c
     where c.id = p.connection_id and c.customer_id = any ($1)`,
    [left],
  );

  const from = two.lines.length;
  await startAll();
  const isDone = () =>
    CUSTOMERS.every(({ customerId }) =>
      two.lines
        .slice(from)
        .some((line) => line.customerId === customerId && line.kind === 'completed'),
    );
  while (!isDone()) await two.next();
  await two.kill();
  expect(await countRows()).toEqual(CUSTOMERS.map(({ customerId }) => [customerId, PEOPLE.length]));
  for (const { customerId } of CUSTOMERS) {
    const runs = [...killed, two.lines].flatMap((lines) => runsOf(lines, customerId));
    runs.sort((a, b) => a.began - b.began);
    for (const [place, { began }] of runs.entries())
      expect(began).toBeGreaterThanOrEqual(runs[place - 1]?.ended ?? 0);
  }
  const errors = [...killed.flat(), ...two.lines].flatMap(
    (line) => line.errors ?? line.error ?? [],
  );
  expect(errors).toEqual([]);
});

async function startAll(): Promise<void> {
  for (const { customerId, provider } of CUSTOMERS) {
    const target = { customerId, providerName: provider, table: undefined };
    await world.stores.syncs.changeSyncs(target, { to: 'start', isFull: true });
  }
}

async function countRows() {
  const rows = await world.rows(
    'select customer_id, count(*)::int from crm.contacts where not is_deleted group by 1 order by 1',
  );
  return rows.map(({ customer_id, count }) => [customer_id, count]);
}

/** The customers whose run has begun and not ended. */
function openOf(lines: readonly Line[]): readonly string[] {
  const open = new Set<string>();
  for (const { began, ended, customerId = '' } of lines) {
    if (began) open.add(customerId);
    if (ended) open.delete(customerId);
  }
  return [...open];
}

/** A run of a process that was killed ended with its last line. */
function runsOf(lines: readonly Line[], customerId: string) {
  const own = lines.filter((line) => line.customerId === customerId);
  return own.flatMap((line, place) =>
    line.began ? [{ began: line.at, ended: own[place + 1]?.at ?? lines.at(-1)?.at ?? 0 }] : [],
  );
}

function follow(child: ChildProcess) {
  const lines: Line[] = [];
  const arriving = linesOf(child);
  const next = async () => {
    const { value } = await arriving.next();
    if (value === undefined) throw new Error('The process has ended.');
    lines.push(JSON.parse(value));
  };
  return {
    lines,
    next,
    async until(isIt: (line: Line) => unknown): Promise<void> {
      while (!lines.some(isIt)) await next();
    },
    async kill(): Promise<void> {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      for await (const line of arriving) lines.push(JSON.parse(line));
    },
  };
}

interface Line {
  readonly at: number;
  readonly ready?: boolean;
  readonly began?: string;
  readonly ended?: string;
  readonly batch?: boolean;
  readonly customerId?: string;
  readonly kind?: string;
  readonly error?: string;
  readonly errors?: readonly string[];
}
