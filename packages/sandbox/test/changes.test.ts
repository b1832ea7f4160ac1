import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSandbox, type Sandbox } from '../src/index.ts';
import { byFilter, createClient, createClock, ids, SEARCH } from './hubspot/client.ts';

const clock = createClock();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ now: clock.now, enforceLimits: false });
});
afterAll(() => sandbox.close());

const PEOPLE = Array.from({ length: 30 }, (_, index) => ({ email: `p${index}@x.example` }));
const LIST = '/crm/v3/objects/contacts?limit=100';

function open(quirks: Parameters<Sandbox['hubspot']['createAccount']>[0] = {}) {
  const account = sandbox.hubspot.createAccount({ people: PEOPLE, ...quirks });
  return { account, send: createClient(sandbox, account) };
}

async function query(soql: string, resource = 'queryAll') {
  const { origin } = sandbox.salesforce;
  const response = await fetch(
    `${origin}/services/data/v66.0/${resource}?q=${encodeURIComponent(soql)}`,
    { headers: { authorization: `Bearer ${org.accessToken}` } },
  );
  return (await response.json()) as { records: readonly Record<string, unknown>[] };
}
let org: ReturnType<Sandbox['salesforce']['createAccount']>;

test('the same seed makes the same changes, of all kinds, in both CRMs', () => {
  const [one, two] = [open().account, open().account];
  const other = sandbox.salesforce.createAccount({ people: PEOPLE });
  const stream = { seed: 7, count: 60 };
  const changes = one.changePeople(stream);
  expect(two.changePeople(stream)).toEqual(changes);
  expect(other.changePeople(stream).map(({ kind, id }) => [kind, other.indexOf(id)])).toEqual(
    changes.map(({ kind, id }) => [kind, one.indexOf(id)]),
  );
  expect(new Set(changes.map(({ kind }) => kind))).toEqual(
    new Set(['edited', 'added', 'deleted', 'merged']),
  );
  expect(one.changePeople({ seed: 8, count: 60 })).not.toEqual(
    two.changePeople({ seed: 9, count: 60 }),
  );
});

test('deleted contacts are listed as archived, merged ones by the contact that survived', async () => {
  const { account, send } = open();
  const changes = account.changePeople({ seed: 3, count: 80 });
  const idsOf = (kind: string) => changes.filter((one) => one.kind === kind).map(({ id }) => id);
  const archived = ids(await send(`${LIST}&archived=true`));
  expect(archived).toEqual(idsOf('deleted').sort());
  const present = await send(`${LIST}&properties=hs_merged_object_ids,hs_calculated_merged_vids`);
  const merged = present.body.results.flatMap(
    (one: { properties: Record<string, string | null> }) =>
      one.properties['hs_merged_object_ids']?.split(';') ?? [],
  );
  const reachable = idsOf('merged').filter((id) => {
    let person = account.people.get(account.indexOf(id) ?? 0);
    while (person?.mergedInto !== undefined) person = account.people.get(person.mergedInto);
    return person?.isDeleted === false;
  });
  expect(merged.sort()).toEqual(reachable.sort());
  const vids = present.body.results.flatMap(
    (one: { properties: Record<string, string | null> }) =>
      one.properties['hs_calculated_merged_vids']?.split(';') ?? [],
  );
  expect(vids.sort()).toEqual(reachable.map((id) => `${id}:${clock.now()}`).sort());
});

test('Salesforce lists deleted and merged contacts in queryAll and among the deleted ones', async () => {
  org = sandbox.salesforce.createAccount({ people: PEOPLE });
  const changes = org.changePeople({ seed: 3, count: 80 });
  const gone = changes.filter(({ kind }) => kind === 'deleted' || kind === 'merged');
  const { records } = await query('SELECT Id, MasterRecordId FROM Contact WHERE IsDeleted = true');
  expect(records.map((row) => row['Id']).sort()).toEqual(gone.map(({ id }) => id).sort());
  for (const { id, into } of gone)
    expect(records.find((row) => row['Id'] === id)?.['MasterRecordId']).toBe(into ?? null);
});

test('a bulk job gives many contacts one modification time, more than a search can page', async () => {
  const { account, send } = open({ people: Array.from({ length: 10_500 }, () => ({})) });
  clock.pass(60_000);
  expect(account.editPeople({ person: { jobTitle: 'Buyer' } })).toBe(10_500);
  const at = String(clock.now());
  const found = await send(SEARCH, byFilter('lastmodifieddate', 'EQ', at));
  expect(found.body.total).toBe(10_500);
  const beyond = await send(SEARCH, { ...byFilter('lastmodifieddate', 'EQ', at), after: '10000' });
  expect(beyond.status).toBe(400);
});

test('records of Salesforce are modified at whole seconds', async () => {
  org = sandbox.salesforce.createAccount({ people: PEOPLE });
  clock.pass(1_234);
  org.updatePerson(org.recordId(1), { firstName: 'Ada' });
  const { records } = await query(`SELECT SystemModstamp FROM Contact WHERE FirstName = 'Ada'`);
  const seconds = new Date(Math.floor(clock.now() / 1_000) * 1_000).toISOString();
  expect(records[0]?.['SystemModstamp']).toBe(seconds.replace('Z', '+0000'));
});

test('with a lag of their own, changes become visible one after the other, and at its end all', async () => {
  const { account, send } = open({ quirks: { searchLagMs: 10_000, searchLagVaries: true } });
  org = sandbox.salesforce.createAccount({ people: PEOPLE, quirks: { commitLagMs: 10_000 } });
  clock.pass(60_000);
  account.editPeople({ person: { jobTitle: 'Buyer' } });
  org.editPeople({ person: { jobTitle: 'Buyer' } });
  const seen = async () => [
    (await send(SEARCH, byFilter('jobtitle', 'EQ', 'Buyer'))).body.total as number,
    (await query(`SELECT Id FROM Contact WHERE Title = 'Buyer'`, 'query')).records.length,
  ];
  const early = await seen();
  clock.pass(5_000);
  const middle = await seen();
  clock.pass(5_000);
  expect(await seen()).toEqual([30, 30]);
  for (const [crm, count] of middle.entries()) {
    expect(count).toBeGreaterThan(early[crm] ?? 0);
    expect(count).toBeLessThan(30);
  }
});

test('a property that is hidden or not searchable cannot be filtered by', async () => {
  const { send } = open({
    quirks: {
      hiddenProperties: ['jobtitle'],
      propertyTypes: { notes: { type: 'string', fieldType: 'html', isUnsearchable: true } },
    },
  });
  expect((await send(SEARCH, byFilter('jobtitle', 'EQ', 'x'))).body.errors).toMatchObject([
    { code: 'PROPERTY_DOESNT_EXIST' },
  ]);
  expect((await send(SEARCH, byFilter('notes', 'EQ', 'x'))).status).toBe(400);
  const { body } = await send(`${LIST}&properties=jobtitle,phone`);
  expect(Object.keys(body.results[0].properties)).not.toContain('jobtitle');
});

test('another process changes and lists people over the control API', async () => {
  const { account } = open();
  const url = `${sandbox.hubspot.origin}/__sandbox/accounts/${account.id}`;
  const post = async (verb: string, body: unknown) => {
    const response = await fetch(`${url}/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return response.json();
  };
  const { changes } = (await post('changes', { seed: 1, count: 5 })) as { changes: unknown[] };
  expect(changes).toHaveLength(5);
  expect(await post('edits', { count: 3, person: { jobTitle: 'Buyer' } })).toEqual({ edited: 3 });
  const buyers = account.people.all().filter(({ jobTitle }) => jobTitle === 'Buyer');
  expect(new Set(buyers.map(({ updatedAt }) => updatedAt)).size).toBe(1);
  const { people } = (await (await fetch(`${url}/people`)).json()) as { people: unknown[] };
  expect(people).toMatchObject(
    account.people
      .all()
      .map(({ index, isDeleted }) => ({ id: account.recordId(index), isDeleted })),
  );
});

test('picklists with several values are filtered by INCLUDES and EXCLUDES, long texts not at all', async () => {
  org = sandbox.salesforce.createAccount({
    people: [{ custom: { likes: 'A;B' } }, { custom: { likes: 'C' } }, {}],
    quirks: {
      customFields: {
        Likes__c: { type: 'multipicklist', values: ['A', 'B', 'C'] },
        Notes__c: { type: 'textarea', isUnfilterable: true },
      },
    },
  });
  const find = async (where: string) =>
    (await query(`SELECT Id FROM Contact WHERE ${where}`)).records?.map((row) =>
      org.indexOf(String(row['Id'])),
    );
  expect(await find(`Likes__c INCLUDES ('A')`)).toEqual([1]);
  expect(await find(`Likes__c INCLUDES ('A;C', 'C')`)).toEqual([2]);
  expect(await find(`Likes__c EXCLUDES ('A;B')`)).toEqual([2, 3]);
  expect(await query(`SELECT Id FROM Contact WHERE FirstName INCLUDES ('A')`)).toMatchObject([
    { errorCode: 'INVALID_QUERY_FILTER_OPERATOR' },
  ]);
  expect(await query(`SELECT Id FROM Contact WHERE Notes__c = 'A'`)).toMatchObject([
    { errorCode: 'INVALID_FIELD' },
  ]);
});
