import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSandbox, type Sandbox } from '../src/index.ts';
import { createClient, createClock } from './hubspot/client.ts';
import { createOrgClient } from './salesforce/org.ts';

const clock = createClock();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ now: clock.now, enforceLimits: false });
});
afterAll(() => sandbox.close());

/** Two contacts, four companies and three deals. The first contact has a primary company, the second shares a deal. */
const PEOPLE = [
  { lastName: 'One', companyIndex: 1, otherCompanyIndexes: [2], dealIndexes: [1, 2] },
  { lastName: 'Two', otherCompanyIndexes: [1], dealIndexes: [2] },
  { lastName: 'Three', companyIndex: 4, dealIndexes: [3] },
];
const [CONTACT, COMPANY, DEAL] = [500, 5_790_939_000, 9_100_000_000];

function openPortal(quirks = {}) {
  const account = sandbox.hubspot.createAccount({ people: PEOPLE, quirks });
  const send = createClient(sandbox, account);
  const read = async (from: string, to: string, ...ids: readonly number[]) =>
    send(`/crm/associations/2026-03/${from}/${to}/batch/read`, {
      inputs: ids.map((id) => ({ id: String(id) })),
    });
  const idsOf = async (from: string, to: string, id: number): Promise<readonly number[]> => {
    const { body } = await read(from, to, id);
    return (body.results[0]?.to ?? []).map((one: { toObjectId: number }) => one.toObjectId);
  };
  return { account, send, read, idsOf };
}

describe('HubSpot', () => {
  test.each([
    ['contacts', 'companies', CONTACT + 1, [COMPANY + 2, COMPANY + 1], [[279], [279, 1]]],
    ['companies', 'contacts', COMPANY + 1, [CONTACT + 1, CONTACT + 2], [[280, 2], [280]]],
    ['contacts', 'deals', CONTACT + 1, [DEAL + 1, DEAL + 2], [[4], [4]]],
    ['deals', 'contacts', DEAL + 2, [CONTACT + 1, CONTACT + 2], [[3], [3]]],
    ['0-3', '0-2', DEAL + 1, [COMPANY + 1], [[341, 5]]],
    [
      'company',
      'deal',
      COMPANY + 1,
      [DEAL + 1, DEAL + 2],
      [
        [342, 6],
        [342, 6],
      ],
    ],
  ] as const)(
    'reads associations from %s to %s with their types',
    async (from, to, id, ids, types) => {
      const { read } = openPortal();
      const { status, body } = await read(from, to, id, id + 900);
      expect(status).toBe(207);
      expect(body.results).toMatchObject([
        {
          from: { id: String(id) },
          to: ids.map((toObjectId, place) => ({
            toObjectId,
            associationTypes: types[place]?.map((typeId) => ({
              typeId,
              label: typeId < 10 && typeId !== 3 && typeId !== 4 ? 'Primary' : null,
            })),
          })),
        },
      ]);
      expect(body.errors).toMatchObject([
        {
          subCategory: 'crm.associations.NO_ASSOCIATIONS_FOUND',
          context: { fromObjectId: [String(id + 900)] },
        },
      ]);
    },
  );

  test('needs the scopes of both objects', async () => {
    const { account, read } = openPortal();
    const granted = ['oauth', 'crm.objects.contacts.read', 'crm.objects.deals.read'];
    account.setQuirks({ grantedScopes: granted });
    expect((await read('deals', 'contacts', DEAL + 1)).status).toBe(200);
    expect((await read('deals', 'companies', DEAL + 1)).status).toBe(403);
    expect((await read('companies', 'deals', COMPANY + 1)).status).toBe(403);
  });

  test('pages the associations of a company, and shows those of a deal with the deal', async () => {
    const { send, read } = openPortal({ associationPageSize: 1 });
    const { body } = await read('companies', 'contacts', COMPANY + 1);
    const { after } = body.results[0].paging.next;
    const path = '/crm/v4/associations/companies/contacts/batch/read';
    const next = await send(path, { inputs: [{ id: String(COMPANY + 1), after }] });
    expect(next.body.results[0].to).toMatchObject([{ toObjectId: CONTACT + 2 }]);
    const deal = await send(`/crm/v3/objects/deals/${DEAL + 2}?associations=contacts,companies`);
    expect(deal.body.associations).toMatchObject({
      contacts: { results: [{ id: String(CONTACT + 1) }, { id: String(CONTACT + 2) }] },
      companies: { results: [{ id: String(COMPANY + 1), type: 'deal_to_company' }] },
    });
  });

  test('links and unlinks two records, which modifies the contact with its primary company only', async () => {
    const { account, send, idsOf } = openPortal();
    const contact = { kind: 'contact', id: String(CONTACT + 3) } as const;
    const timeOf = async () =>
      (await send(`/crm/v3/objects/contacts/${contact.id}`)).body.properties.lastmodifieddate;
    const before = await timeOf();
    clock.pass(60_000);
    const [company, deal] = [COMPANY + 2, DEAL + 1];
    expect(account.linkRecords({ kind: 'company', id: String(company) }, contact)).toBe(true);
    expect(account.linkRecords(contact, { kind: 'deal', id: String(deal) })).toBe(true);
    expect(await idsOf('contacts', 'companies', CONTACT + 3)).toEqual([company, COMPANY + 4]);
    expect(await idsOf('deals', 'contacts', deal)).toEqual([CONTACT + 1, CONTACT + 3]);
    expect(await timeOf()).toBe(before);
    account.linkRecords(contact, { kind: 'company', id: String(company) }, { isPrimary: true });
    expect(await idsOf('contacts', 'companies', CONTACT + 3)).toEqual([COMPANY + 4, company]);
    expect(await timeOf()).not.toBe(before);
    expect(account.unlinkRecords(contact, { kind: 'deal', id: String(deal) })).toBe(true);
    expect(await idsOf('deals', 'contacts', deal)).toEqual([CONTACT + 1]);
    expect(account.linkRecords(contact, { kind: 'company', id: '1' })).toBe(false);
  });

  test('omits archived records, and follows merged ones to the survivor', async () => {
    const { account, idsOf, send } = openPortal();
    account.removeRecord('deal', String(DEAL + 2));
    expect(await idsOf('contacts', 'deals', CONTACT + 1)).toEqual([DEAL + 1]);
    expect(await idsOf('deals', 'contacts', DEAL + 2)).toEqual([]);
    account.mergeRecord('company', String(COMPANY + 1), String(COMPANY + 4));
    expect(await idsOf('contacts', 'companies', CONTACT + 1)).toEqual([COMPANY + 2, COMPANY + 4]);
    expect(await idsOf('companies', 'contacts', COMPANY + 4)).toEqual(
      [1, 2, 3].map((n) => CONTACT + n),
    );
    expect(await idsOf('deals', 'companies', DEAL + 1)).toEqual([COMPANY + 4]);
    const path = `/crm/v3/objects/contacts/${CONTACT + 1}?properties=associatedcompanyid`;
    expect((await send(path)).body.properties.associatedcompanyid).toBe(String(COMPANY + 4));
    account.mergePerson(String(CONTACT + 3), String(CONTACT + 2));
    expect(await idsOf('deals', 'contacts', DEAL + 3)).toEqual([CONTACT + 2]);
  });

  test('a deal has one primary company and others', async () => {
    const { account, idsOf } = openPortal();
    const deal = { kind: 'deal', id: String(DEAL + 1) } as const;
    account.linkRecords(deal, { kind: 'company', id: String(COMPANY + 3) });
    expect(await idsOf('deals', 'companies', DEAL + 1)).toEqual([COMPANY + 3, COMPANY + 1]);
    account.unlinkRecords(deal, { kind: 'company', id: String(COMPANY + 1) });
    expect(await idsOf('deals', 'companies', DEAL + 1)).toEqual([COMPANY + 3]);
    expect(await idsOf('companies', 'deals', COMPANY + 3)).toEqual([DEAL + 1]);
  });

  test('the control API links records', async () => {
    const { account, idsOf } = openPortal();
    const control = async (method: string, body: object) => {
      const response = await fetch(
        `${sandbox.hubspot.origin}/__sandbox/accounts/${account.id}/links`,
        { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
      );
      return response.json();
    };
    const from = { kind: 'contact', id: CONTACT + 2 };
    const to = { kind: 'company', id: COMPANY + 4 };
    expect(await control('POST', { from, to, isPrimary: true })).toEqual({ done: true });
    expect(await idsOf('contacts', 'companies', CONTACT + 2)).toEqual([COMPANY + 1, COMPANY + 4]);
    expect(await control('DELETE', { from: to, to: from })).toEqual({ done: true });
    expect(await idsOf('contacts', 'companies', CONTACT + 2)).toEqual([COMPANY + 1]);
    expect(await control('POST', { from: { kind: 'planet' }, to })).toEqual({
      error: 'kind must be one of: contact, company, deal.',
    });
  });
});

describe('Salesforce', () => {
  const open = (quirks = {}) => {
    const account = sandbox.salesforce.createAccount({
      people: PEOPLE,
      quirks: { contactsToMultipleAccounts: true, ...quirks },
    });
    const client = createOrgClient(sandbox, account);
    const accounts = [1, 2, 3, 4].map((index) => account.idOfRecord('company', index));
    const deals = [1, 2, 3].map((index) => account.idOfRecord('deal', index));
    const contacts = [1, 2, 3].map((index) => account.recordId(index));
    return { account, ...client, accounts, deals, contacts };
  };
  const inList = (ids: readonly (string | undefined)[]) => `(${ids.map((id) => `'${id}'`)})`;

  test('has a role for each contact of an opportunity, which reads both', async () => {
    const { query, deals, contacts, accounts } = open();
    const fields = 'OpportunityId, Opportunity.Name, ContactId, Contact.LastName, Role, IsPrimary';
    const { body } = await query(
      `SELECT ${fields} FROM OpportunityContactRole WHERE OpportunityId IN ${inList(deals)} ORDER BY Id`,
    );
    expect(body.records).toMatchObject([
      {
        OpportunityId: deals[0],
        ContactId: contacts[0],
        Contact: { LastName: 'One' },
        IsPrimary: true,
      },
      { OpportunityId: deals[1], ContactId: contacts[0], IsPrimary: true },
      { OpportunityId: deals[1], ContactId: contacts[1], IsPrimary: false },
      { OpportunityId: deals[2], ContactId: contacts[2] },
    ]);
    expect(body.records[0].Opportunity.Name).toContain('Difference Engine');
    const byContact = await query(
      `SELECT OpportunityId, Opportunity.Account.Name FROM OpportunityContactRole WHERE ContactId IN ${inList(contacts)}`,
    );
    expect(byContact.body.records).toHaveLength(4);
    expect(byContact.body.records[0].Opportunity.Account.Name).toBe('Analytical Engines Ltd');
    const byAccount = await query(
      `SELECT Id FROM Opportunity WHERE AccountId IN ${inList(accounts)} ORDER BY Id`,
    );
    expect(byAccount.body.records.map(({ Id }: { Id: string }) => Id)).toEqual(deals);
  });

  test('relates contacts to several accounts where the org allows it', async () => {
    const { account, query, get, accounts, contacts } = open();
    const soql = `SELECT AccountId, Account.Name, ContactId, IsDirect FROM AccountContactRelation WHERE ContactId IN ${inList(contacts)} ORDER BY Id`;
    expect((await query(soql)).body.records).toMatchObject([
      { AccountId: accounts[0], ContactId: contacts[0], IsDirect: true },
      { AccountId: accounts[1], ContactId: contacts[0], IsDirect: false },
      { AccountId: accounts[0], ContactId: contacts[1], IsDirect: false },
      { AccountId: accounts[3], ContactId: contacts[2], IsDirect: true },
    ]);
    const byAccount = `SELECT ContactId FROM AccountContactRelation WHERE AccountId = '${accounts[0]}' ORDER BY Id`;
    expect((await query(byAccount)).body.records).toMatchObject([
      { ContactId: contacts[0] },
      { ContactId: contacts[1] },
    ]);
    expect((await get('sobjects/AccountContactRelation/describe')).status).toBe(200);
    account.setQuirks({ contactsToMultipleAccounts: false });
    expect(await query(soql)).toMatchObject({ status: 400, body: [{ errorCode: 'INVALID_TYPE' }] });
  });

  test('a link that is made or removed has a modification time of its own', async () => {
    const { account, query, accounts, deals, contacts } = open();
    clock.pass(60_000);
    const since = new Date(clock.now()).toISOString();
    const contact = { kind: 'contact', id: contacts[1] ?? '' } as const;
    account.linkRecords(contact, { kind: 'deal', id: deals[2] ?? '' });
    account.unlinkRecords(contact, { kind: 'deal', id: deals[1] ?? '' });
    const roles = `SELECT OpportunityId, IsDeleted FROM OpportunityContactRole WHERE SystemModstamp >= ${since}`;
    expect((await query(roles)).body.records).toMatchObject([{ OpportunityId: deals[2] }]);
    expect(
      (await query(`${roles} AND ContactId = '${contact.id}' ORDER BY Id`, 'queryAll')).body
        .records,
    ).toMatchObject([
      { OpportunityId: deals[1], IsDeleted: true },
      { OpportunityId: deals[2], IsDeleted: false },
    ]);
    const changed = `SELECT Id FROM Contact WHERE SystemModstamp >= ${since}`;
    expect((await query(changed)).body.records).toEqual([]);
    account.linkRecords(contact, { kind: 'company', id: accounts[2] ?? '' }, { isPrimary: true });
    expect((await query(changed)).body.records).toMatchObject([{ Id: contact.id }]);
    const direct = `SELECT AccountId FROM AccountContactRelation WHERE IsDirect = true AND SystemModstamp >= ${since}`;
    expect((await query(direct)).body.records).toMatchObject([{ AccountId: accounts[2] }]);
  });

  test('a merged account leaves its contacts to the survivor, and a deleted one leaves them none', async () => {
    const { account, query, accounts, contacts } = open();
    account.mergeRecord('company', accounts[0] ?? '', accounts[3] ?? '');
    const soql = `SELECT Id FROM Contact WHERE AccountId = '${accounts[3]}' ORDER BY Id`;
    expect((await query(soql)).body.records).toMatchObject([
      { Id: contacts[0] },
      { Id: contacts[2] },
    ]);
    account.removeRecord('company', accounts[3] ?? '');
    expect((await query(soql)).body.records).toEqual([]);
    expect((await query('SELECT Id FROM Contact WHERE AccountId != null')).body.records).toEqual(
      [],
    );
    expect((await query('SELECT Id FROM AccountContactRelation')).body.records).toHaveLength(1);
  });
});
