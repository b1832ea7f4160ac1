import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSandbox, type Sandbox } from '../../src/open-sandbox.ts';
import { BATCH_READ, byFilter, createClient, createClock, ids, SEARCH } from './client.ts';

const clock = createClock();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ now: clock.now, enforceLimits: false });
});
afterAll(() => sandbox.close());

function open(quirks: NonNullable<Parameters<Sandbox['hubspot']['createAccount']>[0]>['quirks']) {
  const people = [
    { email: 'one@example.com', secondaryEmails: ['alias@example.com'] },
    { email: 'two@example.com' },
  ];
  const account = sandbox.hubspot.createAccount({ people, quirks });
  clock.pass(60_000);
  return { account, send: createClient(sandbox, account) };
}

const byEmail = (email: string) => byFilter('email', 'EQ', email);

test('search sees a new contact after the indexing lag; a batch read sees it immediately', async () => {
  const { account, send } = open({ searchLagMs: 5_000 });
  const id = account.addPerson({ email: 'new@example.com' });
  expect((await send(SEARCH, byEmail('new@example.com'))).body).toEqual({ total: 0, results: [] });
  const read = await send(BATCH_READ, { idProperty: 'email', inputs: [{ id: 'new@example.com' }] });
  expect(ids(read)).toEqual([id]);
  clock.pass(5_000);
  expect(ids(await send(SEARCH, byEmail('new@example.com')))).toEqual([id]);
});

test('search counts a contact that was just deleted, and does not list it', async () => {
  const { account, send } = open({ searchLagMs: 5_000 });
  account.removePerson('501');
  expect((await send(SEARCH, byEmail('one@example.com'))).body).toEqual({ total: 1, results: [] });
  clock.pass(5_000);
  expect((await send(SEARCH, byEmail('one@example.com'))).body).toEqual({ total: 0, results: [] });
});

test('search finds a contact by its previous email, and shows the current one', async () => {
  const { account, send } = open({ searchLagMs: 5_000 });
  account.updatePerson('501', { email: 'moved@example.com' });
  account.updatePerson('501', { firstName: 'Moved' });
  const { body } = await send(SEARCH, byEmail('one@example.com'));
  expect(body).toMatchObject({
    total: 1,
    results: [{ id: '501', properties: { email: 'moved@example.com' } }],
  });
  expect((await send(SEARCH, byEmail('moved@example.com'))).body.total).toBe(0);
});

test('a total without results and a stale hit can be switched on without any change of data', async () => {
  const { account, send } = open({ searchTotalWithoutResults: true });
  expect((await send(SEARCH, byEmail('one@example.com'))).body).toEqual({ total: 1, results: [] });
  account.setQuirks({ searchTotalWithoutResults: false, searchStaleHit: '502' });
  const stale = await send(SEARCH, byEmail('one@example.com'));
  expect(ids(stale)).toEqual(['501', '502']);
  expect(stale.body.total).toBe(2);
});

test('whether a search by email matches secondary emails can be switched', async () => {
  const { account, send } = open({});
  expect(ids(await send(SEARCH, byEmail('alias@example.com')))).toEqual([]);
  account.setQuirks({ searchEmailMatchesAliases: true });
  expect(ids(await send(SEARCH, byEmail('alias@example.com')))).toEqual(['501']);
});

test('whether a wildcard matches punctuation, and whether enumerations are tokenized, can be switched', async () => {
  const { account, send } = open({});
  const further = (value: string) => byFilter('hs_additional_emails', 'CONTAINS_TOKEN', value);
  expect(ids(await send(SEARCH, further('*@example.com')))).toEqual(['501']);
  expect(ids(await send(SEARCH, further('example.com')))).toEqual([]);
  account.setQuirks({ searchTokensAreWords: true });
  expect(ids(await send(SEARCH, further('*@example.com')))).toEqual([]);
  expect(ids(await send(SEARCH, further('example.com')))).toEqual(['501']);
  account.setQuirks({ searchRefusesTokensOfEnumerations: true });
  expect((await send(SEARCH, further('example.com'))).status).toBe(400);
  expect(ids(await send(SEARCH, byFilter('email', 'CONTAINS_TOKEN', 'two')))).toEqual(['502']);
});

test('rejecting long bodies, duplicates and batches without a hit can be switched on', async () => {
  const { send } = open({
    searchBodyLimit: true,
    batchReadRefusesDuplicates: true,
    batchReadAllMissingIs404: true,
  });
  expect((await send(SEARCH, { properties: Array(1_000).fill('email') })).status).toBe(400);
  const twice = await send(BATCH_READ, { inputs: [{ id: '501' }, { id: '501' }] });
  expect(twice).toMatchObject({ status: 400, body: { context: { ids: ['501'] } } });
  expect((await send(BATCH_READ, { inputs: [{ id: '9' }] })).status).toBe(404);
});

test('unset properties and the record’s URL can be left out', async () => {
  const { send } = open({ omitUnsetProperties: true, withoutRecordUrl: true });
  const { body } = await send(BATCH_READ, {
    properties: ['email', 'phone'],
    inputs: [{ id: '502' }],
  });
  expect(body.results[0]).not.toHaveProperty('url');
  expect(Object.keys(body.results[0].properties)).not.toContain('phone');
});

test('properties describe a portal, with its own lifecycle stages', async () => {
  const { send } = open({});
  const { body } = await send('/crm/properties/2026-03/0-1/lifecyclestage');
  expect(body).toMatchObject({ name: 'lifecyclestage', type: 'enumeration', fieldType: 'radio' });
  expect(body.options.map((option: { value: string }) => option.value)).toContain('48151623');
  const all = await send('/crm/v3/properties/contacts');
  expect(all.body.results.length).toBeGreaterThan(20);
  expect((await send('/crm/v3/properties/contacts/nope')).status).toBe(404);
});
