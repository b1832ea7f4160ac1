import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSandbox, type Sandbox } from '../src/index.ts';
import { createClient } from './hubspot/client.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ enforceLimits: false });
});
afterAll(() => sandbox.close());

const PEOPLE = [{ lastName: 'One', companyIndex: 1 }, { lastName: 'Two' }];
const [CONTACT, COMPANY] = [500, 5_790_939_000];

test('HubSpot associates by type ids, and accepts an input without types although it does nothing', async () => {
  const account = sandbox.hubspot.createAccount({ people: PEOPLE });
  const send = createClient(sandbox, account);
  for (const name of ['Other', 'Third']) account.addRecord('company', { name });
  const path = '/crm/associations/2026-03/contacts/companies/batch';
  const input = (contact: number, company: number, ...ids: readonly number[]) => ({
    from: { id: String(CONTACT + contact) },
    to: { id: String(COMPANY + company) },
    types: ids.map((associationTypeId) => ({
      associationCategory: 'HUBSPOT_DEFINED',
      associationTypeId,
    })),
  });
  const made = await send(`${path}/create`, {
    inputs: [input(1, 2, 1, 279), input(2, 1), input(2, 2, 279), input(9, 1, 279)],
  });
  expect(made.status).toBe(207);
  expect(made.body.results).toMatchObject([
    { fromObjectId: String(CONTACT + 1), toObjectId: String(COMPANY + 2) },
    { fromObjectId: String(CONTACT + 2), toObjectId: String(COMPANY + 1) },
    { fromObjectId: String(CONTACT + 2), toObjectId: String(COMPANY + 2) },
  ]);
  expect(made.body.errors).toMatchObject([
    { category: 'OBJECT_NOT_FOUND', context: { fromObjectId: [String(CONTACT + 9)] } },
  ]);
  expect(account.people.get(1)).toMatchObject({ companyIndex: 2, otherCompanyIndexes: [1] });
  expect(account.people.get(2)).toMatchObject({ companyIndex: null, otherCompanyIndexes: [2] });
  const wrong = await send(`${path}/create`, { inputs: [input(1, 2, 3)] });
  expect(wrong.status).toBe(400);
  const archive = [
    {
      from: { id: String(CONTACT + 1) },
      to: [COMPANY + 1, COMPANY + 2].map((id) => ({ id: String(id) })),
    },
  ];
  expect((await send(`${path}/archive`, { inputs: archive })).status).toBe(204);
  expect(account.people.get(1)).toMatchObject({ companyIndex: null, otherCompanyIndexes: [] });
  account.setQuirks({ grantedScopes: ['oauth', 'crm.objects.contacts.write'] });
  expect((await send(`${path}/archive`, { inputs: archive })).status).toBe(403);
});

test('Salesforce has rows for contact roles and further accounts, one primary contact, and no further account without a first', async () => {
  const account = sandbox.salesforce.createAccount({
    people: [],
    quirks: { contactsToMultipleAccounts: true },
  });
  const send = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${sandbox.salesforce.origin}/services/data/v66.0/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${account.accessToken}`,
        'content-type': 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.json();
  };
  const deal = account.addRecord('deal', { name: 'Deal' });
  const [one, two] = [
    account.addPerson({ lastName: 'Three', companyIndex: 1 }),
    account.addPerson({ lastName: 'Four' }),
  ];
  const companies = [1, 2].map((index) => account.idOfRecord('company', index));
  const create = (type: string, ...rows: readonly object[]) =>
    send('POST', 'composite/sobjects', {
      allOrNone: false,
      records: rows.map((row) => ({ attributes: { type }, ...row })),
    });
  const roles = await create(
    'OpportunityContactRole',
    { OpportunityId: deal, ContactId: one },
    { OpportunityId: deal, ContactId: two, IsPrimary: true },
    { OpportunityId: deal },
  );
  expect(roles).toMatchObject([
    { success: true },
    { success: true },
    { success: false, errors: [{ statusCode: 'REQUIRED_FIELD_MISSING' }] },
  ]);
  const query = async () => {
    const soql = `SELECT ContactId, IsPrimary FROM OpportunityContactRole WHERE OpportunityId = '${deal}'`;
    const { records } = await send('GET', `query?q=${encodeURIComponent(soql)}`);
    return records.map((row: { ContactId: string; IsPrimary: boolean }) => [
      row.ContactId,
      row.IsPrimary,
    ]);
  };
  expect(await query()).toEqual([
    [one, false],
    [two, true],
  ]);
  await send('PATCH', 'composite/sobjects', {
    records: [{ attributes: { type: 'OpportunityContactRole' }, id: roles[0].id, IsPrimary: true }],
  });
  expect(await query()).toEqual([
    [one, true],
    [two, false],
  ]);
  const relations = await create(
    'AccountContactRelation',
    { ContactId: one, AccountId: companies[1] },
    { ContactId: two, AccountId: companies[1] },
  );
  expect(relations).toMatchObject([{ success: true }, { success: false }]);
  expect(account.people.get(1)).toMatchObject({ companyIndex: 1, otherCompanyIndexes: [2] });
  const ids = [roles[0].id, relations[0].id, one].join(',');
  expect(await send('DELETE', `composite/sobjects?ids=${ids}&allOrNone=false`)).toMatchObject([
    { success: true },
    { success: true },
    { success: false },
  ]);
  expect(await query()).toEqual([[two, false]]);
  expect(account.people.get(1)?.otherCompanyIndexes).toEqual([]);
});

test('A contact of Salesforce whose account changes to one of its others has it once', async () => {
  const account = sandbox.salesforce.createAccount({
    people: [],
  });
  const id = account.addPerson({ lastName: 'One', companyIndex: 1, otherCompanyIndexes: [2] });
  await fetch(`${sandbox.salesforce.origin}/services/data/v66.0/sobjects/Contact/${id}`, {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${account.accessToken}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ AccountId: account.idOfRecord('company', 2) }),
  });
  expect(account.people.get(1)).toMatchObject({ companyIndex: 2, otherCompanyIndexes: [] });
});
