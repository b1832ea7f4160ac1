import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { openWritable, outcomesOf, problemsOf, RESULT } from '../support/write-contacts.ts';

const COMPANY = RESULT.replace(
  'changedFields',
  'changedFields company { remoteId name ownerId addresses { addressType street1 } rawData }',
);
const DEAL = RESULT.replace(
  'changedFields',
  'changedFields deal { remoteId name status stage { id } companies { nodes { remoteId } } rawData }',
);
const toMutation = (name: string, result: string) =>
  `mutation ($input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { ${result} } }`;
const CREATE_COMPANIES = toMutation('createCompanies', COMPANY);
const UPDATE_COMPANIES = toMutation('updateCompanies', COMPANY);
const CREATE_DEALS = toMutation('createDeals', DEAL);
const UPDATE_DEALS = toMutation('updateDeals', DEAL);

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp({ sandbox: { port: 0, hosts: [], all: true } });
});
afterAll(() => crossbook.close());

const open = (customerId: string) =>
  openWritable(crossbook, {
    provider: 'pipedrive',
    customerId: `pipe records ${customerId}`,
    people: [{ firstName: 'Ada', email: 'ada@pipe.example' }],
    records: ['contact', 'company', 'deal'],
  });

const toKey = (object: string, name: string) =>
  createHash('sha1').update(`sandbox pipedrive ${object} ${name}`).digest('hex');

test('Organizations are created and changed by id, and take their name, owner, address text and custom fields', async () => {
  const { run, account, headers } = await open('organizations');
  account.records.add('company', { name: 'With a tier', tier: 'silver' });
  const { data } = await crossbook.execute('{ owners { id } }', {}, headers);
  const ownerId = data.owners[2].id;
  const tier = toKey('organization', 'tier');
  const changes = {
    name: 'Engines Ltd',
    ownerId,
    rawFields: { address: 'Somewhere, 1 Dorset Street, London', [tier]: 'gold' },
  };
  const records = [{ changes }, { changes: { ownerId } }];
  const preview = await run(CREATE_COMPANIES, { dryRun: true, records });
  const created = await run(CREATE_COMPANIES, { records });
  for (const done of [preview, created]) {
    expect(outcomesOf(done)).toEqual(['CREATED', 'REFUSED']);
    expect(problemsOf(done)).toEqual([
      {
        index: 1,
        outcome: 'REFUSED',
        problems: [{ code: 'REQUIRED', field: ['changes', 'name'] }],
      },
    ]);
  }
  const [{ remoteId, company, warnings }] = created.results;
  expect(warnings).toEqual([]);
  expect(company).toMatchObject({ remoteId, name: 'Engines Ltd', ownerId });
  expect(company.rawData).toMatchObject({
    address: { value: changes.rawFields.address },
    custom_fields: { [tier]: 'gold' },
  });
  expect(outcomesOf(await run(UPDATE_COMPANIES, { records: [{ remoteId, changes }] }))).toEqual([
    'UNCHANGED',
  ]);
  const updated = await run(UPDATE_COMPANIES, {
    records: [
      { remoteId, changes: { name: 'Engines plc', rawFields: { [tier]: null } } },
      { remoteId: '999', changes: { name: 'None' } },
      { remoteId: 'not an id', changes: { name: 'None' } },
    ],
  });
  expect(outcomesOf(updated)).toEqual(['UPDATED', 'REFUSED', 'REFUSED']);
  expect(updated.results[0].company).toMatchObject({ name: 'Engines plc', ownerId });
  expect(updated.results[0].company.rawData.custom_fields[tier]).toBeNull();
  for (const { problems } of updated.results.slice(1)) expect(problems[0].code).toBe('NOT_FOUND');
});

test('Fields of organizations that Pipedrive’s API does not take are READ_ONLY, and there is no upsert', async () => {
  const { run, account } = await open('read-only');
  const money = { value: '1' };
  const done = await run(CREATE_COMPANIES, {
    records: [
      {
        changes: {
          name: 'N',
          domain: 'x.example',
          website: 'x.example',
          industry: 'x',
          employeeCount: 1,
          annualRevenue: money,
          parentId: '1',
          lifecycleStage: 'LEAD',
          phoneNumbers: [],
          addresses: [],
        },
      },
    ],
  });
  expect(done.results[0].problems.map(({ code }: Json) => code)).toEqual(
    Array.from({ length: 9 }, () => 'READ_ONLY'),
  );
  const upsert =
    'mutation ($input: UpsertCompaniesInput!) { upsertCompanies(input: $input) { results { outcome } } }';
  const { errors } = await run(upsert, {
    records: [{ customField: 'erp', value: '1', changes: { name: 'N' } }],
  });
  expect(errors[0].extensions.code).toBe('NOT_IMPLEMENTED');
  expect(account.calls().map(({ operation }: Json) => operation)).not.toContain(
    'organizations.create',
  );
  const { data } = await crossbook.execute(
    '{ providers { name capabilities { record canWrite canUpsert } } }',
  );
  expect(data.providers.find(({ name }: Json) => name === 'PIPEDRIVE').capabilities).toEqual([
    { record: 'CONTACT', canWrite: true, canUpsert: true },
    { record: 'COMPANY', canWrite: true, canUpsert: false },
    { record: 'DEAL', canWrite: true, canUpsert: false },
  ]);
});

test('Deals are won by their status, and belong to the person and organization that raw fields name', async () => {
  const { run, account } = await open('deals');
  const index = account.records.add('company', { name: 'Engines Ltd' });
  const { results } = await run(CREATE_COMPANIES, { records: [{ changes: { name: 'Other' } }] });
  const [{ remoteId: otherId }] = results;
  const orgId = String(Number(otherId) - 1);
  expect(account.records.get('company', index)?.values['name']).toBe('Engines Ltd');
  const created = await run(CREATE_DEALS, {
    records: [
      {
        changes: {
          name: 'D',
          stageId: '13',
          rawFields: { org_id: orgId, person_id: account.recordId(1), status: 'won' },
        },
      },
    ],
  });
  expect(problemsOf(created)).toEqual([]);
  const [{ remoteId, deal }] = created.results;
  expect(deal).toMatchObject({
    status: 'WON',
    // It stays in the stage that it was won in.
    stage: { id: '13' },
    companies: { nodes: [{ remoteId: orgId }] },
    rawData: { person_id: Number(account.recordId(1)) },
  });
  const reopened = await run(UPDATE_DEALS, {
    records: [{ remoteId, changes: { rawFields: { status: 'open', org_id: otherId } } }],
  });
  expect(reopened.results[0]).toMatchObject({
    outcome: 'UPDATED',
    deal: { status: 'OPEN', stage: { id: '13' }, companies: { nodes: [{ remoteId: otherId }] } },
  });
  const lost = await run(UPDATE_DEALS, {
    records: [
      { remoteId, changes: { rawFields: { status: 'lost', lost_reason: 'Price', org_id: null } } },
    ],
  });
  expect(lost.results[0].deal).toMatchObject({
    status: 'LOST',
    companies: { nodes: [] },
    rawData: { lost_reason: 'Price' },
  });
});

test('What Pipedrive refuses, and what is gone, is said of the record that it is about', async () => {
  const { run, account } = await open('refused');
  const { results } = await run(CREATE_DEALS, {
    records: ['One', 'Two', 'Three'].map((name) => ({ changes: { name } })),
  });
  const ids = results.map(({ remoteId }: Json) => remoteId);
  account.setQuirks({ goneOnWrite: [ids[0]] } as never);
  const done = await run(UPDATE_DEALS, {
    records: [
      { remoteId: ids[0], changes: { name: 'Gone' } },
      { remoteId: ids[1], changes: { rawFields: { org_id: '1' } } },
      { remoteId: ids[2], changes: { amount: { value: '5', currency: 'nothing' } } },
    ],
  });
  expect(problemsOf(done)).toEqual([
    { index: 0, outcome: 'REFUSED', problems: [{ code: 'NOT_FOUND', field: null }] },
    {
      index: 1,
      outcome: 'REFUSED',
      problems: [{ code: 'INVALID_VALUE', field: ['changes', 'rawFields', 'org_id'] }],
    },
    {
      index: 2,
      outcome: 'REFUSED',
      problems: [{ code: 'INVALID_VALUE', field: ['changes', 'amount', 'currency'] }],
    },
  ]);
  account.setQuirks({ grantedScopes: ['contacts:full', 'deals:read'] } as never);
  const refused = await run(UPDATE_DEALS, {
    records: [{ remoteId: ids[2], changes: { name: 'No' } }],
  });
  expect(problemsOf(refused)).toMatchObject([{ problems: [{ code: 'MISSING_SCOPE' }] }]);
});
