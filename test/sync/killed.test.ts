import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '@crossbook/child-postgres';
import type { Person } from '@crossbook/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { linesOf } from '../support/compiled-storage.ts';
import { createDice } from '../support/dice.ts';
import { SEED } from '../support/fast-check.ts';
import { readServerPid } from '../support/processes.ts';
import {
  type ControlledAccount,
  type ControlledCrm,
  startSandbox,
} from '../support/start-sandbox.ts';
import { compileSyncing } from '../support/start-syncing.ts';
import {
  type Crm,
  openSyncWorldOf,
  SYNC_CONTACTS,
  type SyncWorldOf,
  YEARS,
} from '../support/sync-world.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** `CROSSBOOK_SYNC_PEOPLE=25000` copies more, and kills more often: it takes some minutes. */
const PEOPLE = Number(process.env['CROSSBOOK_SYNC_PEOPLE'] ?? 600);
const IS_WHOLE = PEOPLE >= 25_000;
const KILLS = IS_WHOLE ? 20 : 8;
/** Before these of them, the server of the destination is killed as well. */
const SERVER_KILLS = IS_WHOLE ? [2, 5, 9, 13, 17] : [1, 5];
const CHANGES = Math.ceil(PEOPLE / 40);
/**
 * A process is killed after at most so many calls and batches, which is within its first full run or after it. A page has so
 * many contacts.
 */
const PAGE = { hubspot: 100, salesforce: 2_000 } as const;
const toMostLines = (provider: Crm) => Math.ceil(PEOPLE / PAGE[provider]) + 12;

let syncing: ReturnType<typeof compileSyncing>;
beforeAll(() => {
  syncing = compileSyncing();
});
afterAll(() => syncing.remove());

/** A destination on a server of its own, which is started again when it was killed. */
async function openKillable() {
  const folder = makeTemporaryFolder();
  const directory = join(folder, 'data');
  const server = await startServer({ directory, tcp: true });
  return {
    kill: () => process.kill(readServerPid(directory), 'SIGKILL'),
    target: {
      url: server.url,
      async drop() {
        await server.close();
        rmSync(folder, { recursive: true, force: true });
      },
    },
  };
}

/** A process knows HubSpot's limit by its responses, and keeps to the lowest one without them. */
const SETTINGS = {
  hubspot: { limits: { perTenSecondsOAuth: 1_000_000, searchPerSecond: 1_000_000 } },
  salesforce: { limits: null, quirks: { contactsToMultipleAccounts: true } },
};

/** An object that is copied as the CRM has it. */
const MACHINES = { hubspot: 'machines', salesforce: 'Machine__c' } as const;

/** The longer it runs, the more companies and deals are deleted: so many links are left at least. */
const FEWEST_EDGES = 30;

/** The tables of edges, with the kinds of records at both ends. */
const EDGES = [
  ['contact_companies', 'contact', 'company'],
  ['deal_contacts', 'deal', 'contact'],
  ['deal_companies', 'deal', 'company'],
] as const;

/**
 * People, companies, deals and records of a custom object are edited, added, deleted, merged, linked and unlinked, many at
 * the same time, while the processes that copy them and the server of the destination are killed at random moments.
 */
describe.each(['hubspot', 'salesforce'] as const)('a copy of the records of %s', (provider) => {
  test(`has every row once and as it is, after ${KILLS} kills, and ${SERVER_KILLS.length} of the destination`, async () => {
    const killable = await openKillable();
    const sandbox = await startSandbox();
    const world = await openSyncWorldOf({ sandbox, target: killable.target });
    await world.setDestination();
    const dice = createDice(SEED + provider.length);
    const account = await openAccount(sandbox[provider], SETTINGS[provider]);
    await world.stores.syncs.setConfiguration(provider, {
      ...SYNC_CONTACTS,
      companies: true,
      deals: true,
      edges: true,
      customObjects: [{ object: MACHINES[provider], table: null }],
    });
    for (let count = 0; count < PEOPLE / 4; count += 1)
      await account.post('records', {
        kind: 'machine',
        values: { name: `Machine ${count}`, serial: `${count}` },
      });
    const customerId = `killed-${provider}`;
    await world.connect({ customerId, provider, account });
    const target = { customerId, providerName: provider, table: undefined };
    const start = () => world.stores.syncs.changeSyncs(target, { to: 'start', isFull: false });
    const change = async () => {
      const stream = { seed: dice.next(2 ** 30), count: CHANGES, isTied: dice.chance(50) };
      await account.post('changes', stream);
      for (const kind of ['company', 'deal', 'machine'])
        await account.post('record-changes', { kind, ...stream });
      await account.post('link-changes', stream);
      await start();
    };
    for (let round = 0; round < KILLS; round += 1) {
      const child = syncing.start(world);
      const exited = once(child, 'exit');
      const dieAfter = 1 + dice.next(toMostLines(provider));
      const killServerAfter = SERVER_KILLS.includes(round) ? 1 + dice.next(dieAfter) : 0;
      let lines = 0;
      for await (const line of linesOf(child)) {
        const told = JSON.parse(line);
        expect(told.error ?? null).toBeNull();
        expect(told.errors ?? []).toEqual([]);
        // A failed run waits for a minute otherwise.
        if (told.kind === 'failed') await start();
        if (told.batch) await change();
        if (!told.batch && !told.call) continue;
        lines += 1;
        if (lines === killServerAfter) killable.kill();
        if (lines >= dieAfter) child.kill('SIGKILL');
      }
      expect((await exited)[1]).toBe('SIGKILL');
      await endLeases(world);
      // The next process always has something to do: this one may have ended all runs before it was killed.
      await change();
    }
    await expect.poll(() => isUp(world)).toBe(true);
    await sandbox.pass(UNTIL_INDEXED_MS);
    await runToEnd(world, provider, customerId);
    await expectCopy(world, { customerId, provider, account });
    expect(world.runner.errors).toEqual([]);
    await world.close();
    await sandbox.close();
  });
});

/** An account of a sandbox in another process. */
async function openAccount({ control }: ControlledCrm, settings: object): Promise<Account> {
  const options = { people: invent(PEOPLE), ...settings, accessTokenTtlMs: YEARS };
  const account = await control<ControlledAccount>('POST', '', options);
  const path = `/${encodeURIComponent(account.id)}`;
  return {
    ...account,
    links: async (from, to) =>
      (await control<{ links: ListedLink[] }>('GET', `${path}/links?from=${from}&to=${to}`)).links,
    post: (part, body) => control('POST', `${path}/${part}`, body),
    people: async () => (await control<{ people: ListedPerson[] }>('GET', `${path}/people`)).people,
    records: async (kind) =>
      (await control<{ records: ListedRecord[] }>('GET', `${path}/records?kind=${kind}`)).records,
  };
}

function invent(count: number): Partial<Person>[] {
  return Array.from({ length: count }, (_, index) => ({
    email: `person${index}@killed.example`,
    firstName: `First${index}`,
    lastName: `Last${index % 97}`,
    phone: `+1 415 ${String(index).padStart(7, '0')}`,
    companyIndex: 1 + (index >> 1),
    otherCompanyIndexes: index % 7 === 0 ? [2 + (index >> 1)] : [],
    dealIndexes: index % 3 === 0 ? [1 + Math.floor(index / 3), 2 + Math.floor(index / 3)] : [],
  }));
}

/** What passes in a minute otherwise. Statements that the process had sent before it died end first. */
async function endLeases({ ourRows }: SyncWorldOf): Promise<void> {
  await ourRows(
    "select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = current_database() and application_name = 'crossbook'",
  );
  await ourRows('update crossbook.sync_plans set leased_until = null');
}

function isUp({ rows }: SyncWorldOf): Promise<boolean> {
  return rows('select 1').then(
    () => true,
    () => false,
  );
}

/** What a search of a CRM does not find yet is found after this time. */
const UNTIL_INDEXED_MS = 61 * 60_000;

/**
 * Runs what is due, until a run began after the last change. At last everything is compared by key, because not every CRM
 * lists changed links.
 */
async function runToEnd({ runner, stores, pass }: SyncWorldOf, provider: Crm, customerId: string) {
  pass(UNTIL_INDEXED_MS);
  const target = { customerId, providerName: provider, table: undefined };
  for (let runs = 0; runs < 3; runs += 1) {
    await stores.syncs.changeSyncs(target, { to: 'start', isFull: runs === 2 });
    const outcomes = await runner.runDue();
    expect(new Set(outcomes.map(({ result }) => result.kind))).toEqual(new Set(['completed']));
  }
}

/** The oracle: what the CRM has, and a fresh copy of it. */
async function expectCopy(world: SyncWorldOf, { customerId, provider, account }: Copied) {
  const fresh = `fresh-${customerId}`;
  await world.connect({ customerId: fresh, provider, account });
  await world.runner.runDue();
  const machines = `${provider}_${MACHINES[provider].toLowerCase()}`;
  for (const table of ['contacts', 'companies', 'deals', machines]) {
    const rows = await rowsOf(world, table, customerId);
    const alive = rows.filter(({ is_deleted }) => !is_deleted);
    const others = await rowsOf(world, table, fresh);
    expect(alive.map(({ id }) => id)).toEqual(others.map(({ id }) => id));
    const expected = new Map(others.map((row) => [row.id, dataOf(row)]));
    for (const row of alive) expect(dataOf(row)).toEqual(expected.get(row.id));
  }
  const people = (await account.people()).map(({ id, isDeleted, firstName, lastName }) => ({
    id,
    isDeleted,
    names: [firstName, lastName],
  }));
  const contacts = await rowsOf(world, 'contacts', customerId);
  expectRecords(people, contacts, ({ first_name, last_name }) => [first_name, last_name]);
  for (const [kind, table] of [
    ['company', 'companies'],
    ['deal', 'deals'],
    ['machine', machines],
  ] as const) {
    const known = (await account.records(kind)).map(({ id, isDeleted, values }) => ({
      id,
      isDeleted,
      // One that nobody has edited has a name of the CRM's own.
      names: [values['name'] ?? expect.any(String)],
    }));
    const rows = await rowsOf(world, table, customerId);
    expectRecords(known, rows, ({ name, data }) => [name ?? data.name ?? data.Name]);
  }
  for (const [table, from, to] of EDGES) {
    const links = toVisible(provider, to, await account.links(from, to));
    const ofCrm = links.map((link) => `${link.from} ${link.to} ${link.isPrimary}`);
    const ofCopies = [];
    for (const copy of [customerId, fresh]) {
      const rows = await world.rows(
        `select ${from}_id as from, ${to}_id as to, is_primary from crm.${table} where customer_id = $1`,
        [copy],
      );
      ofCopies.push(rows.map((row) => `${row.from} ${row.to} ${row.is_primary}`).sort());
    }
    expect(ofCrm.length).toBeGreaterThan(FEWEST_EDGES);
    expect([table, ...ofCopies]).toEqual([table, ofCrm.sort(), ofCrm.sort()]);
  }
}

function expectRecords(records: readonly Known[], rows: readonly Row[], toNames: ToNames): void {
  const byId = new Map(rows.map((row) => [row.id, row]));
  expect(byId.size).toBe(rows.length);
  for (const { id, isDeleted, names } of records) {
    const row = byId.get(id);
    if (!isDeleted) expect([id, row && !row.is_deleted && toNames(row)]).toEqual([id, names]);
    // One that was added and deleted between two runs has no row.
    else if (row) expect([id, row.is_deleted, dataOf(row)]).toEqual([id, true, {}]);
  }
  const ids = new Set(records.map(({ id }) => id));
  expect(rows.filter(({ id }) => !ids.has(id))).toEqual([]);
}

/** The simulated relations of contacts to this company have ended. */
const ENDED_COMPANY = 902;

/** What a CRM shows of links: Salesforce has one company for each deal, and one primary contact: the first. */
function toVisible(provider: Crm, to: string, links: readonly ListedLink[]) {
  if (provider === 'hubspot') return links;
  if (to === 'contact')
    return links.map((link, place) => ({
      ...link,
      isPrimary: links[place - 1]?.from !== link.from,
    }));
  if (links.some(({ from }) => from.startsWith('006')))
    return links.filter(({ isPrimary }) => isPrimary);
  return links.filter(({ isPrimary, index }) => isPrimary || index !== ENDED_COMPANY);
}

function rowsOf({ rows }: SyncWorldOf, table: string, customerId: string): Promise<Row[]> {
  return rows(
    `select * from crm."${table}" where customer_id = $1 order by length(id), id collate "C"`,
    [customerId],
  );
}

/** The data columns that are not null. */
function dataOf(row: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(row).filter(
    ([name, value]) => !KEYS.includes(name) && value !== null,
  );
  return Object.fromEntries(entries);
}

const KEYS = ['application_id', 'provider_name', 'customer_id', 'id', 'is_deleted', 'synced_at'];

interface Copied {
  readonly customerId: string;
  readonly provider: Crm;
  readonly account: Account;
}

interface Account extends ControlledAccount {
  post(part: string, body: object): Promise<unknown>;
  /** Deleted ones too. */
  people(): Promise<readonly ListedPerson[]>;
  records(kind: string): Promise<readonly ListedRecord[]>;
  links(from: string, to: string): Promise<readonly ListedLink[]>;
}

interface ListedPerson extends Pick<Person, 'isDeleted' | 'firstName' | 'lastName'> {
  readonly id: string;
}

interface ListedLink {
  readonly from: string;
  readonly to: string;
  /** Of the second record. */
  readonly index: number;
  readonly isPrimary: boolean;
}

interface ListedRecord {
  readonly id: string;
  readonly isDeleted: boolean;
  readonly values: Readonly<Record<string, string | null>>;
}

interface Known {
  readonly id: string;
  readonly isDeleted: boolean;
  readonly names: readonly unknown[];
}

// biome-ignore lint/suspicious/noExplicitAny: rows of any table.
type Row = any;
type ToNames = (row: Row) => readonly unknown[];
