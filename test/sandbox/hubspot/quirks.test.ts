import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSandbox, type Sandbox } from '../../../src/sandbox/open-sandbox.ts';
import { BATCH_READ, byFilter, createAsk, createClock, ids, SEARCH } from './ask.ts';

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
  return { account, ask: createAsk(sandbox, account) };
}

const byEmail = (email: string) => byFilter('email', 'EQ', email);

test('search sees a new contact only after a while; a batch read sees it at once', async () => {
  const { account, ask } = open({ searchLagMs: 5_000 });
  const id = account.addPerson({ email: 'new@example.com' });
  expect((await ask(SEARCH, byEmail('new@example.com'))).body).toEqual({ total: 0, results: [] });
  const read = await ask(BATCH_READ, { idProperty: 'email', inputs: [{ id: 'new@example.com' }] });
  expect(ids(read)).toEqual([id]);
  clock.pass(5_000);
  expect(ids(await ask(SEARCH, byEmail('new@example.com')))).toEqual([id]);
});

test('search counts a contact that was just deleted, and does not list it', async () => {
  const { account, ask } = open({ searchLagMs: 5_000 });
  account.removePerson('501');
  expect((await ask(SEARCH, byEmail('one@example.com'))).body).toEqual({ total: 1, results: [] });
  clock.pass(5_000);
  expect((await ask(SEARCH, byEmail('one@example.com'))).body).toEqual({ total: 0, results: [] });
});

test('search finds a contact by the address it just had, and shows the one it has', async () => {
  const { account, ask } = open({ searchLagMs: 5_000 });
  account.updatePerson('501', { email: 'moved@example.com' });
  account.updatePerson('501', { firstName: 'Moved' });
  const { body } = await ask(SEARCH, byEmail('one@example.com'));
  expect(body).toMatchObject({
    total: 1,
    results: [{ id: '501', properties: { email: 'moved@example.com' } }],
  });
  expect((await ask(SEARCH, byEmail('moved@example.com'))).body.total).toBe(0);
});

test('the same two lies can be ordered without any change', async () => {
  const { account, ask } = open({ searchTotalWithoutResults: true });
  expect((await ask(SEARCH, byEmail('one@example.com'))).body).toEqual({ total: 1, results: [] });
  account.setQuirks({ searchTotalWithoutResults: false, searchStaleHit: '502' });
  const stale = await ask(SEARCH, byEmail('one@example.com'));
  expect(ids(stale)).toEqual(['501', '502']);
  expect(stale.body.total).toBe(2);
});

test('whether a search by email reaches further addresses can be switched', async () => {
  const { account, ask } = open({});
  expect(ids(await ask(SEARCH, byEmail('alias@example.com')))).toEqual([]);
  account.setQuirks({ searchEmailMatchesAliases: true });
  expect(ids(await ask(SEARCH, byEmail('alias@example.com')))).toEqual(['501']);
});

test('whether a wildcard reaches over punctuation, and whether enumerations have tokens, can be switched', async () => {
  const { account, ask } = open({});
  const further = (value: string) => byFilter('hs_additional_emails', 'CONTAINS_TOKEN', value);
  expect(ids(await ask(SEARCH, further('*@example.com')))).toEqual(['501']);
  expect(ids(await ask(SEARCH, further('example.com')))).toEqual([]);
  account.setQuirks({ searchTokensAreWords: true });
  expect(ids(await ask(SEARCH, further('*@example.com')))).toEqual([]);
  expect(ids(await ask(SEARCH, further('example.com')))).toEqual(['501']);
  account.setQuirks({ searchRefusesTokensOfEnumerations: true });
  expect((await ask(SEARCH, further('example.com'))).status).toBe(400);
  expect(ids(await ask(SEARCH, byFilter('email', 'CONTAINS_TOKEN', 'two')))).toEqual(['502']);
});

test('long bodies, duplicates and batches without any hit can be refused', async () => {
  const { ask } = open({
    ...{ searchBodyLimit: true, batchReadRefusesDuplicates: true, batchReadAllMissingIs404: true },
  });
  expect((await ask(SEARCH, { properties: Array(1_000).fill('email') })).status).toBe(400);
  const twice = await ask(BATCH_READ, { inputs: [{ id: '501' }, { id: '501' }] });
  expect(twice).toMatchObject({ status: 400, body: { context: { ids: ['501'] } } });
  expect((await ask(BATCH_READ, { inputs: [{ id: '9' }] })).status).toBe(404);
});

test('unset properties and the record’s address can be left out', async () => {
  const { ask } = open({ omitUnsetProperties: true, withoutRecordUrl: true });
  const { body } = await ask(BATCH_READ, { properties: ['email', 'phone'], inputs: [{ id: '502' }] });
  expect(body.results[0]).not.toHaveProperty('url');
  expect(Object.keys(body.results[0].properties)).not.toContain('phone');
});

test('properties describe a portal, its own lifecycle stages included', async () => {
  const { ask } = open({});
  const { body } = await ask('/crm/properties/2026-03/0-1/lifecyclestage');
  expect(body).toMatchObject({ name: 'lifecyclestage', type: 'enumeration', fieldType: 'radio' });
  expect(body.options.map((option: { value: string }) => option.value)).toContain('48151623');
  const all = await ask('/crm/v3/properties/contacts');
  expect(all.body.results.length).toBeGreaterThan(20);
  expect((await ask('/crm/v3/properties/contacts/nope')).status).toBe(404);
});
