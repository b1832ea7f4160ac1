import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SyncedRecord, TableOfSync } from '../../src/domain/sync.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createDestinations } from '../../src/sync/destinations.ts';
import { toStatements } from '../../src/sync/table.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/databases.ts';
import { LOOPBACK_DESTINATIONS } from '../support/sync-hosts.ts';
import { toDestination } from '../support/sync-world.ts';

let database: TestDatabase;
let owner: pg.Client;
let destinations: ReturnType<typeof createDestinations>;
beforeAll(async () => {
  database = await createEmptyDatabase();
  owner = await connect(database.url);
  destinations = createDestinations({
    clock: systemClock,
    hosts: LOOPBACK_DESTINATIONS,
  });
});
afterAll(async () => {
  await destinations.close();
  await owner.end();
  await database.drop();
});

beforeEach(async () => {
  await owner.query('drop schema if exists crm cascade; create schema crm');
});

const COLUMNS = toStatements('CONTACTS', 'crm', 'contacts').types;
const OBJECTS = { kind: 'STANDARD', table: 'hubspot_companies' } as const;
const ROWS_OF = { applicationId: randomUUID(), customerId: 'customer' };

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
}

/** The destination as a user of a test, or as its owner. */
function open(user: object = {}, url = database.url) {
  const destination = { ...toDestination(url), applicationId: randomUUID(), version: 1, ...user };
  return destinations.open(destination);
}

async function openTable(patch: Partial<TableOfSync> = {}, user: object = {}) {
  return open(user).openTable({
    kind: 'CONTACTS',
    edgeTables: [],
    schema: 'crm',
    table: 'contacts',
    providerName: 'hubspot',
    ...ROWS_OF,
    ...patch,
  });
}

type Opened = Awaited<ReturnType<typeof openTable>>;

async function write(table: Opened, ids: readonly string[], removed: readonly string[] = []) {
  const records: SyncedRecord[] = ids.map((id) => ({ id, lastModifiedAt: null, data: { id } }));
  const rows = [table.toRows(records)];
  return table.write({ rows, removed, edges: [], syncedAt: new Date(), mayCommit: () => true });
}

const rowsOf = async (table: string) =>
  (await owner.query(`select id, is_deleted from crm.${table} order by id`)).rows;

const expectFailure = (work: Promise<unknown>, code: string, ...words: readonly string[]) =>
  expect(work.catch((error: unknown) => error)).resolves.toMatchObject({
    name: 'SyncFailure',
    code,
    message: expect.stringMatching(new RegExp(words.join('.*'), 's')),
  });

const describeTables = async () =>
  (
    await owner.query(
      `select relname, attname, atttypid::regtype::text from pg_attribute join pg_class c on c.oid = attrelid
      where relnamespace = 'crm'::regnamespace and attnum > 0 order by 1, 2`,
    )
  ).rows;

test.each(['id int, name text, email text', 'id text, application_id uuid', 'is_deleted boolean'])(
  'a table of the owner (%s) is not changed, the error says what it lacks, and a deleted customer has no rows in it',
  async (columns) => {
    await owner.query(`create table crm.contacts (${columns})`);
    const before = await describeTables();
    await expectFailure(
      openTable(),
      'DESTINATION_TABLE',
      'table "contacts" in the schema "crm" is not a table of syncs, because it lacks the columns',
      'provider_name',
      'choose another name',
    );
    expect(await describeTables()).toEqual(before);
    expect(await open().deleteRows({ schema: 'crm', table: 'contacts' }, ROWS_OF)).toBe(0);
  },
);

test.each(Object.entries(COLUMNS))(
  'where the column %s has another type than %s, the error names both, and nothing is changed',
  async (column, type) => {
    await openTable();
    await owner.query(`alter table crm.contacts drop column "${column}"`);
    await owner.query(`alter table crm.contacts add column "${column}" integer`);
    const before = await describeTables();
    await expectFailure(
      openTable(),
      'DESTINATION_TABLE',
      'table "contacts" in the schema "crm"',
      `column "${column}" of another type than ${type}: change its type`,
    );
    expect(await describeTables()).toEqual(before);
  },
);

test('a text column may have any type of text', async () => {
  await openTable();
  await owner.query('create domain crm.short_text as text');
  await owner.query('alter table crm.contacts alter first_name type varchar(500)');
  await owner.query('alter table crm.contacts alter last_name type crm.short_text');
  await owner.query('alter table crm.contacts alter owner_id type char(20)');
  await openTable();
});

test.each([
  ['a view', 'create view crm.contacts as select 1 as id'],
  ['a materialized view', 'create materialized view crm.contacts as select 1 as id'],
  ['a sequence', 'create sequence crm.contacts'],
])('%s of the same name is not a table, and the error says so', async (_name, sql) => {
  await owner.query(sql);
  await expectFailure(openTable(), 'DESTINATION_TABLE', 'is a view or another object');
  await owner.query('drop schema crm cascade');
});

test('a partition is written, and one that lacks columns names them and where to add them', async () => {
  await openTable(OBJECTS);
  await owner.query(`alter table crm.hubspot_companies rename to old;
    create table crm.companies (like crm.old including all) partition by list (application_id);
    create table crm.hubspot_companies partition of crm.companies default;`);
  await write(await openTable(OBJECTS), ['1', '2']);
  expect(await rowsOf('companies')).toHaveLength(2);
  await owner.query('alter table crm.companies drop column data');
  await expectFailure(
    openTable(OBJECTS),
    'DESTINATION_TABLE',
    'is a partition',
    'add "data" \\(jsonb\\) to the table that it is a partition of',
  );
});

const DISCARDS = `create function crm.discard() returns trigger language plpgsql as 'begin return null; end'`;
const TRIGGER = (event: string) =>
  `${DISCARDS}; create trigger discards before ${event} on crm.hubspot_companies for each row execute function crm.discard()`;
const RULE = (event: string) =>
  `create rule discards as on ${event} to crm.hubspot_companies do instead nothing`;

test.each([
  ['a trigger on insert', TRIGGER('insert'), 'took 0 of 2 rows', 'trigger'],
  ['a trigger on update', TRIGGER('update'), 'took [01] of [12] rows', 'trigger'],
  ['a rule on insert', RULE('insert'), 'rule'],
  ['a rule on update', RULE('update'), 'rule'],
])(
  'rows that %s discards are an error, and none is recorded as written',
  async (_name, sql, ...words) => {
    await write(await openTable(OBJECTS), ['1', '2']);
    await owner.query(sql);
    const table = await openTable(OBJECTS);
    await expectFailure(
      sql.includes('update') ? write(table, [], ['1']) : write(table, ['3', '4']),
      'DESTINATION_TABLE',
      'table "hubspot_companies"',
      ...words,
    );
    expect(await rowsOf('hubspot_companies')).toEqual([
      { id: '1', is_deleted: false },
      { id: '2', is_deleted: false },
    ]);
  },
);

test.each([
  ['a trigger', TRIGGER('delete'), 'took 0 of 2 rows'],
  ['a rule', RULE('delete'), 'rule'],
])('a deleted customer’s rows that %s keeps are an error', async (_name, sql, words) => {
  await write(await openTable(OBJECTS), ['1', '2']);
  await owner.query(sql);
  await expectFailure(
    open().deleteRows({ schema: 'crm', table: 'hubspot_companies' }, ROWS_OF),
    'DESTINATION_TABLE',
    words,
  );
});

test('rows that did not change are not counted as rows to write', async () => {
  const table = await openTable(OBJECTS);
  expect(await write(table, ['1', '2'])).toMatchObject({ records: 2, deleted: 0 });
  expect(await write(table, ['1', '2', '3'], ['2', 'never'])).toMatchObject({
    records: 1,
    deleted: 1,
  });
});

test('a new table gets statistics once it has rows, and keeps those that it has', async () => {
  const table = await openTable(OBJECTS);
  const statistics = async () => {
    const { rows } = await owner.query(
      `select attname, n_distinct from pg_stats where schemaname = 'crm' and tablename = 'hubspot_companies'
       order by attname`,
    );
    return rows;
  };
  await write(table, ['1', '2']);
  await table.analyzeNew();
  const first = await statistics();
  expect(first.map(({ attname }) => attname)).toEqual(
    expect.arrayContaining(['application_id', 'customer_id', 'id', 'provider_name']),
  );
  await write(table, ['3', '4', '5', '6']);
  await table.analyzeNew();
  expect(await statistics()).toEqual(first);
});

test('operators and functions of the user’s search path do not replace those of PostgreSQL, and its triggers use the path', async () => {
  const password = 'password-of-shadowed';
  await owner.query(`create schema shadow;
    create function shadow.never(text, text) returns boolean language sql as 'select false';
    create operator shadow.= (leftarg = text, rightarg = text, function = shadow.never);
    create function shadow.count() returns bigint language sql as 'select 0::bigint';
    create function shadow.unnest(text[]) returns setof text language sql as 'select null::text where false';
    create table shadow.log (id text);
    drop role if exists crossbook_shadowed;
    create role crossbook_shadowed superuser login password '${password}';
    alter role crossbook_shadowed set search_path = shadow, pg_catalog`);
  const user = { user: 'crossbook_shadowed', password };
  const table = await openTable(OBJECTS, user);
  await owner.query(`create function crm.log() returns trigger language plpgsql as
      'begin insert into log values (new.id); return new; end';
    create trigger logs before insert on crm.hubspot_companies for each row execute function crm.log()`);
  await write(table, ['1', '2']);
  await write(table, ['1'], ['2']);
  expect(await table.listOthers({ after: null, upTo: null }, [], 10)).toEqual(['1']);
  expect(await rowsOf('hubspot_companies')).toEqual([
    { id: '1', is_deleted: false },
    { id: '2', is_deleted: true },
  ]);
  expect((await owner.query('select id from shadow.log order by id')).rows).toEqual([
    { id: '1' },
    { id: '2' },
  ]);
  await endConnectionsOf('crossbook_shadowed');
  await owner.query('drop schema shadow cascade; drop owned by crossbook_shadowed cascade');
  await owner.query('drop role crossbook_shadowed');
});

test('row level security that refuses a row is named, with what to do', async () => {
  const password = 'password-of-limited';
  await openTable(OBJECTS);
  await owner.query(`drop role if exists crossbook_limited;
    create role crossbook_limited login password '${password}';
    grant all on schema crm to crossbook_limited;
    grant all on crm.hubspot_companies to crossbook_limited;
    alter table crm.hubspot_companies enable row level security`);
  const table = await openTable(OBJECTS, { user: 'crossbook_limited', password });
  await expectFailure(
    write(table, ['1']),
    'DESTINATION_REFUSED',
    'Row level security of the table "hubspot_companies" in the schema "crm"',
    'crossbook_limited',
    'BYPASSRLS',
  );
  await endConnectionsOf('crossbook_limited');
  await owner.query('drop owned by crossbook_limited; drop role crossbook_limited');
});

test('a database that is not encoded in UTF-8 is refused, and a character that it lacks is named as the cause', async () => {
  const name = `crossbook_latin_${randomUUID().slice(0, 8)}`;
  await owner.query(`create database ${name} encoding LATIN1 locale 'C' template template0`);
  const url = new URL(database.url);
  url.pathname = `/${name}`;
  const latin = await connect(url.href);
  await latin.query('create schema crm');
  await latin.end();
  const destination = { ...toDestination(url.href), applicationId: randomUUID(), version: 1 };
  await expectFailure(
    destinations.check(destination),
    'DESTINATION_TABLE',
    'UTF-8',
    'create a database',
  );
  const table = await destinations.open(destination).openTable({
    ...OBJECTS,
    ...ROWS_OF,
    edgeTables: [],
    schema: 'crm',
    providerName: 'hubspot',
  });
  await expectFailure(write(table, ['日本']), 'DESTINATION_TABLE', 'not encoded in UTF-8');
  await owner.query(`drop database ${name} with (force)`);
});

async function endConnectionsOf(user: string): Promise<void> {
  await owner.query(
    'select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = $1',
    [user],
  );
}
