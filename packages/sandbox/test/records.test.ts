import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSandbox, type Sandbox } from '../src/index.ts';
import { RECORD_KINDS, type RecordKind } from '../src/records.ts';
import { byFilter, createClient, createClock, ids } from './hubspot/client.ts';
import { createOrgClient } from './salesforce/org.ts';

const clock = createClock();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ now: clock.now, enforceLimits: false });
});
afterAll(() => sandbox.close());

const PEOPLE = [{ companyIndex: 3, otherCompanyIndexes: [5], dealIndexes: [2] }];
const PLURALS = {
  company: 'companies',
  deal: 'deals',
  subscription: '2-1001',
  machine: 'machines',
};
const OBJECTS = {
  company: 'Account',
  deal: 'Opportunity',
  subscription: 'Subscription__c',
  machine: 'Machine__c',
};

function openPortal() {
  const account = sandbox.hubspot.createAccount({ people: PEOPLE });
  return { account, send: createClient(sandbox, account) };
}

function openOrg() {
  const account = sandbox.salesforce.createAccount({ people: PEOPLE });
  return { account, ...createOrgClient(sandbox, account) };
}

describe('HubSpot', () => {
  test.each([
    ['company', 5],
    ['deal', 2],
    ['subscription', 12],
    ['machine', 12],
  ] as const)('has the records of kind %s from the start', async (kind, count) => {
    const { account, send } = openPortal();
    const path = `/crm/v3/objects/${PLURALS[kind]}`;
    const { body } = await send(`${path}?limit=100`);
    expect(body.results).toHaveLength(count);
    const [first] = body.results;
    expect(await send(`${path}/${first.id}`)).toMatchObject({ body: first });
    expect(account.records.all(kind)).toHaveLength(count);
  });

  test.each(RECORD_KINDS)('lists, reads and searches changes of kind %s', async (kind) => {
    const { account, send } = openPortal();
    const path = `/crm/v3/objects/${PLURALS[kind]}`;
    clock.pass(5_000);
    const before = clock.now();
    const [added, removed] = [1, 2].map(() => account.addRecord(kind, { name: 'New' }));
    const [one = ''] = ids(await send(path));
    clock.pass(1_000);
    account.updateRecord(kind, one, { name: 'Edited' });
    account.removeRecord(kind, removed ?? '');
    const name = kind === 'deal' ? 'dealname' : 'name';
    const changed = await send(`${path}/search`, {
      ...byFilter('hs_lastmodifieddate', 'GTE', String(before)),
      sorts: [{ propertyName: 'hs_object_id', direction: 'DESCENDING' }],
      properties: [name],
    });
    expect(changed.body.results.map(({ properties }: Shown) => properties[name])).toEqual([
      'New',
      'Edited',
    ]);
    expect(ids(changed)).toEqual([added, one]);
    const archived = await send(`${path}?archived=true`);
    expect(archived.body.results).toMatchObject([{ id: removed, archived: true }]);
    expect((await send(`${path}/${removed}`)).status).toBe(404);
    const batch = { inputs: [{ id: added }, { id: removed }], properties: [name] };
    expect(await send(`${path}/batch/read`, batch)).toMatchObject({
      status: 207,
      body: { results: [{ id: added }], errors: [{ context: { ids: [removed] } }] },
    });
  });

  test('a merged record is in no list, and its id leads to the survivor', async () => {
    const { account, send } = openPortal();
    const path = '/crm/v3/objects/companies';
    const [one = '', two = '', three = ''] = ids(await send(path));
    expect(account.mergeRecord('company', one, two)).toBe(true);
    expect(account.mergeRecord('company', two, three)).toBe(true);
    expect(ids(await send(path))).not.toContain(one);
    expect(ids(await send(`${path}?archived=true`))).toEqual([]);
    const { body } = await send(`${path}/${one}?properties=hs_merged_object_ids`);
    expect(body).toMatchObject({
      id: three,
      properties: { hs_merged_object_ids: `${two};${one}` },
    });
  });

  test('describes the properties of a custom object, and its schema', async () => {
    const { account, send } = openPortal();
    const { body } = await send('/crm/v3/properties/2-1001');
    expect(body.results.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['name', 'plan', 'seats', 'hs_lastmodifieddate']),
    );
    const schemas = await send('/crm-object-schemas/v3/schemas');
    expect(schemas.body.results).toMatchObject([
      { fullyQualifiedName: `p${account.id}_subscriptions` },
      { fullyQualifiedName: `p${account.id}_machines` },
    ]);
    expect((await send(`/crm/v3/objects/p${account.id}_machines`)).status).toBe(200);
    expect((await send('/crm/v3/objects/widgets')).body.message).toContain(
      'Unable to infer object type',
    );
  });

  test('custom objects need a scope of their own', async () => {
    const { account, send } = openPortal();
    account.setQuirks({ grantedScopes: ['oauth', 'crm.objects.contacts.read'] });
    expect((await send('/crm/v3/objects/machines')).status).toBe(403);
    account.setQuirks({ grantedScopes: ['oauth', 'crm.objects.custom.read'] });
    expect((await send('/crm/v3/objects/machines')).status).toBe(200);
  });
});

describe('Salesforce', () => {
  test.each([
    ['company', 20],
    ['deal', 2],
    ['subscription', 12],
    ['machine', 12],
  ] as const)('has the records of kind %s from the start', async (kind, count) => {
    const { get, query } = openOrg();
    const { body } = await query(`SELECT Id, Name FROM ${OBJECTS[kind]} ORDER BY Id`);
    expect(body.records).toHaveLength(count);
    const { fields } = (await get(`sobjects/${OBJECTS[kind]}/describe`)).body;
    const names = fields.map(({ name }: { name: string }) => name);
    expect((await query(`SELECT ${names} FROM ${OBJECTS[kind]}`)).status).toBe(200);
  });

  test.each(RECORD_KINDS)('has changes of kind %s, and what was deleted', async (kind) => {
    const { account, get, query } = openOrg();
    clock.pass(5_000);
    const since = new Date(clock.now()).toISOString();
    const [added, removed] = [1, 2].map(() => account.addRecord(kind, { name: 'New' }));
    clock.pass(1_000);
    const [one] = (await query(`SELECT Id FROM ${OBJECTS[kind]} ORDER BY Id LIMIT 1`)).body.records;
    account.updateRecord(kind, one.Id, { name: 'Edited' });
    account.removeRecord(kind, removed ?? '');
    const soql = `SELECT Id, Name, IsDeleted FROM ${OBJECTS[kind]} WHERE SystemModstamp >= ${since} ORDER BY Id`;
    expect((await query(soql)).body.records).toMatchObject([
      { Id: one.Id, Name: 'Edited' },
      { Id: added, Name: 'New' },
    ]);
    expect((await query(soql, 'queryAll')).body.records).toMatchObject([
      { Id: one.Id },
      { Id: added },
      { Id: removed, IsDeleted: true },
    ]);
    const until = new Date(clock.now() + 60_000).toISOString();
    const listed = await get(`sobjects/${OBJECTS[kind]}/deleted/?start=${since}&end=${until}`);
    expect(listed.body.deletedRecords).toMatchObject([{ id: removed }]);
  });

  test('a merged account names the survivor', async () => {
    const { account, query } = openOrg();
    const { records } = (await query('SELECT Id FROM Account ORDER BY Id LIMIT 2')).body;
    const [one, two] = records.map(({ Id }: { Id: string }) => Id);
    account.mergeRecord('company', one, two);
    const soql = `SELECT IsDeleted, MasterRecordId FROM Account WHERE Id = '${one}'`;
    expect((await query(soql)).body.records).toEqual([]);
    expect((await query(soql, 'queryAll')).body.records).toMatchObject([
      { IsDeleted: true, MasterRecordId: two },
    ]);
  });

  test('a contact shows the name that its company has now', async () => {
    const { account, query } = openOrg();
    const soql = 'SELECT AccountId, Account.Name FROM Contact';
    const [before] = (await query(soql)).body.records;
    account.updateRecord('company', before.AccountId, { name: 'Renamed Ltd' });
    expect((await query(soql)).body.records).toMatchObject([{ Account: { Name: 'Renamed Ltd' } }]);
  });
});

test('the same seed makes the same changes of every kind, in both CRMs', () => {
  const [one, two, other] = [openPortal().account, openPortal().account, openOrg().account];
  for (const kind of ['subscription', 'machine'] as const) {
    for (const account of [one, two, other])
      account.changeRecords(kind, { seed: 7, count: 80, isTied: true });
    const all = toPlain(one, kind);
    expect(toPlain(two, kind)).toEqual(all);
    expect(toPlain(other, kind)).toEqual(all);
    expect(all.some(({ isDeleted, mergedInto }) => isDeleted && mergedInto === undefined)).toBe(
      true,
    );
    expect(all.some(({ mergedInto }) => mergedInto !== undefined)).toBe(true);
    expect(all.length).toBeGreaterThan(12);
  }
});

test('the control API changes and lists records', async () => {
  const { account, send } = openPortal();
  const control = async (method: string, path: string, body?: object) => {
    const url = `${sandbox.hubspot.origin}/__sandbox/accounts/${account.id}/${path}`;
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url, {
      method,
      ...(body && { headers, body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const kind = 'deal';
  const values = { name: 'Renewal', amount: 1_200 };
  const { id } = (await control('POST', 'records', { kind, values })).body;
  const path = `/crm/v3/objects/deals/${id}`;
  expect((await send(path)).body.properties).toMatchObject({ dealname: 'Renewal', amount: '1200' });
  await control('PATCH', `records/${id}`, { kind, values: { amount: null } });
  expect((await send(path)).body.properties).toMatchObject({ dealname: 'Renewal', amount: null });
  const [into] = ids(await send('/crm/v3/objects/deals'));
  expect((await control('POST', 'record-merge', { kind, id, into })).body).toEqual({ done: true });
  expect((await send(path)).body.id).toBe(into);
  expect((await control('DELETE', `records/${into}`, { kind })).body).toEqual({ done: true });
  expect((await send(path)).status).toBe(404);
  expect((await control('POST', 'record-changes', { kind, seed: 1, count: 5 })).status).toBe(200);
  const all = account.records.all(kind);
  expect((await control('GET', `records?kind=${kind}`)).body.records).toMatchObject(
    all.map(({ index, isDeleted }) => ({ id: account.idOfRecord(kind, index), isDeleted })),
  );
  expect(await control('POST', 'records', { kind: 'planet' })).toEqual({
    status: 400,
    body: { error: 'kind must be one of: company, deal, subscription, machine.' },
  });
});

function toPlain(
  account: ReturnType<typeof openPortal>['account'] | ReturnType<typeof openOrg>['account'],
  kind: RecordKind,
) {
  return account.records
    .all(kind)
    .map(({ index, values, isDeleted, mergedInto }) => ({ index, values, isDeleted, mergedInto }));
}

interface Shown {
  readonly properties: Readonly<Record<string, string | null>>;
}
