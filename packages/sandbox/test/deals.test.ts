import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSandbox, type Sandbox } from '../src/index.ts';
import { byFilter, createClient, createClock, ids } from './hubspot/client.ts';
import { createOrgClient } from './salesforce/org.ts';

const clock = createClock();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ now: clock.now, enforceLimits: false });
});
afterAll(() => sandbox.close());

const PEOPLE = [{ companyIndex: 5, dealIndexes: [1, 2, 3, 4, 5, 6] }];

function openPortal(quirks = {}) {
  const account = sandbox.hubspot.createAccount({ people: PEOPLE, quirks });
  return { account, send: createClient(sandbox, account) };
}

function openOrg(quirks = {}) {
  const account = sandbox.salesforce.createAccount({ people: PEOPLE, quirks });
  return { account, ...createOrgClient(sandbox, account) };
}

describe('HubSpot', () => {
  const DEALS = '/crm/v3/objects/deals';

  test('has the stages of two pipelines, whose numbers and booleans are strings', async () => {
    const { send, account } = openPortal();
    for (const path of ['/crm/v3/pipelines/deals', '/crm/pipelines/2026-03/0-3']) {
      const { body } = await send(path);
      expect(body.results).toMatchObject([
        { id: 'default', label: 'Sales Pipeline', displayOrder: 0, archived: false },
        { label: 'Renewals', displayOrder: 1 },
      ]);
      const [sales, renewals] = body.results;
      expect(sales.stages[0]).toMatchObject({
        id: 'appointmentscheduled',
        metadata: { probability: '0.2', isClosed: 'false' },
      });
      expect(sales.stages.at(-2).metadata).toEqual({ probability: '1.0', isClosed: 'true' });
      expect(renewals.stages.map(({ archived }: { archived: boolean }) => archived)).toEqual([
        ...[false, false, true, false, false],
      ]);
      expect((await send(`${path}/default/stages`)).body.results).toHaveLength(7);
      expect((await send(`${path}/nothing`)).status).toBe(404);
    }
    account.setQuirks({ grantedScopes: ['oauth', 'crm.objects.contacts.read'] });
    expect((await send('/crm/v3/pipelines/deals')).status).toBe(403);
  });

  test('shows what follows from the stage of a deal, and a deal without one', async () => {
    const { account, send } = openPortal({ additionalCurrencies: ['EUR'] });
    const properties = ['dealstage', 'pipeline', 'hs_is_closed_won', 'hs_is_closed_lost'];
    const read = async (index: number, more: readonly string[] = []) => {
      const id = account.idOfRecord('deal', index);
      const { body } = await send(`${DEALS}/${id}?properties=${[...properties, ...more]}`);
      return body.properties;
    };
    expect(
      await read(1, ['amount', 'closedate', 'hs_deal_stage_probability', 'hubspot_owner_id']),
    ).toMatchObject({
      pipeline: 'default',
      dealstage: 'closedwon',
      hs_is_closed_won: 'true',
      hs_is_closed_lost: 'false',
      amount: '12500.75',
      closedate: '2024-03-28T13:30:00.000Z',
      hs_deal_stage_probability: '1',
      hubspot_owner_id: '41629701',
    });
    expect(await read(3)).toMatchObject({ hs_is_closed_won: 'false', hs_is_closed_lost: 'true' });
    const currencies = ['amount', 'deal_currency_code', 'amount_in_home_currency', 'hs_next_step'];
    expect(await read(2, currencies)).toMatchObject({
      amount: '9800',
      deal_currency_code: 'EUR',
      amount_in_home_currency: '10780',
      hs_next_step: 'Send the offer to Ada and Grace',
    });
    expect(await read(5, ['hs_deal_stage_probability'])).toMatchObject({
      pipeline: null,
      dealstage: null,
      hs_is_closed_won: 'false',
      hs_deal_stage_probability: null,
    });
    account.setQuirks({ additionalCurrencies: [] });
    expect(await read(2, currencies)).toMatchObject({
      deal_currency_code: null,
      amount_in_home_currency: '9800',
    });
    expect((await send('/account-info/v3/details')).body).toMatchObject({
      companyCurrency: 'USD',
      additionalCurrencies: [],
    });
  });

  test.each([
    ['companies', 'name', 'CONTAINS_TOKEN', 'analyt*', [1]],
    ['companies', 'name', 'EQ', 'ANALYTICAL engines ltd', [1]],
    ['companies', 'domain', 'EQ', 'navy.example', [2]],
    ['companies', 'domain', 'IN', ['navy.example', 'shared.example', 'none.example'], [2, 4]],
    ['companies', 'industry', 'EQ', 'MACHINERY', [1]],
    ['companies', 'numberofemployees', 'GT', '1', [1]],
    ['companies', 'website', 'NOT_HAS_PROPERTY', '', [3]],
    ['companies', 'hs_parent_company_id', 'HAS_PROPERTY', '', [1]],
    ['deals', 'dealstage', 'IN', ['closedwon', 'closedlost'], [1, 3]],
    ['deals', 'pipeline', 'EQ', '84210377', [2, 6]],
    ['deals', 'hs_is_closed_won', 'EQ', 'true', [1]],
    ['deals', 'amount', 'GTE', '9800', [1, 2]],
    ['deals', 'hubspot_owner_id', 'EQ', '41629701', [1, 6]],
    ['deals', 'closedate', 'LT', '2025-07-01', [1, 3]],
    ['deals', 'hs_object_id', 'GT', '9100000004', [5, 6]],
  ] as const)('searches %s by %s %s', async (object, property, operator, value, found) => {
    const { account, send } = openPortal();
    const kind = object === 'deals' ? 'deal' : 'company';
    const answer = await send(
      `/crm/v3/objects/${object}/search`,
      byFilter(property, operator, value),
    );
    expect(answer.status).toBe(200);
    expect([...ids(answer)].sort()).toEqual(found.map((index) => account.idOfRecord(kind, index)));
  });

  test('a search between two dates, and one that sees changes later', async () => {
    const { account, send } = openPortal({ searchLagMs: 5_000 });
    const between = { propertyName: 'closedate', operator: 'BETWEEN' };
    const filters = [{ ...between, value: '2025-01-01', highValue: '2025-12-31' }];
    const search = async () => ids(await send(`${DEALS}/search`, { filterGroups: [{ filters }] }));
    const before = [3, 6].map((index) => account.idOfRecord('deal', index));
    expect([...(await search())].sort()).toEqual(before);
    const added = account.addRecord('deal', { name: 'New', closedate: '2025-05-05' });
    account.updateRecord('deal', before[0] ?? '', { closedate: '2024-01-01' });
    expect([...(await search())].sort()).toEqual(before);
    clock.pass(6_000);
    expect([...(await search())].sort()).toEqual([before[1], added]);
  });

  test('a hidden property exists for no object, or for all but one', async () => {
    const { send } = openPortal({ hiddenProperties: ['company.phone', 'amount'] });
    const names = async (object: string) =>
      (await send(`/crm/v3/properties/${object}`)).body.results.map(
        (one: { name: string }) => one.name,
      );
    expect(await names('companies')).not.toContain('phone');
    expect(await names('contacts')).toContain('phone');
    expect(await names('deals')).not.toContain('amount');
    expect((await send('/crm/v3/properties/deals/amount')).status).toBe(404);
    expect((await send('/crm/v3/properties/deals/closedate')).body).toMatchObject({
      type: 'datetime',
    });
    const [first] = (await send(`${DEALS}?properties=amount,dealname`)).body.results;
    expect(Object.keys(first.properties)).not.toContain('amount');
    expect((await send(`${DEALS}/search`, byFilter('amount', 'GT', '1'))).status).toBe(400);
  });

  test('a company is read by an own unique property', async () => {
    const tier = { type: 'string', fieldType: 'text', hasUniqueValue: true } as const;
    const { account, send } = openPortal({ propertyTypes: { 'company.erp_id': tier } });
    const id = account.addRecord('company', { name: 'New', erp_id: 'E-1' });
    const path = '/crm/v3/objects/companies/batch/read';
    const inputs = [{ id: 'E-1' }, { id: 'E-2' }];
    expect(await send(path, { idProperty: 'erp_id', inputs })).toMatchObject({
      status: 207,
      body: { results: [{ id }], errors: [{ context: { ids: ['E-2'] } }] },
    });
    expect((await send(path, { idProperty: 'domain', inputs })).status).toBe(400);
  });
});

describe('Salesforce', () => {
  test('shows what follows from the stage of an opportunity', async () => {
    const { account, query } = openOrg({ multiCurrency: true });
    const fields = 'StageName, IsClosed, IsWon, Probability, ForecastCategoryName, CloseDate, Type';
    const soql = `SELECT ${fields}, Account.Name, CurrencyIsoCode, NextStep, LeadSource FROM Opportunity ORDER BY Id`;
    expect((await query(soql)).body.records).toMatchObject([
      {
        StageName: 'Closed Won',
        IsClosed: true,
        IsWon: true,
        Probability: 100,
        ForecastCategoryName: 'Closed',
        CloseDate: '2024-03-28',
        Type: 'New Business',
        LeadSource: 'Partner Referral',
        Account: { Name: 'Babbage Holdings' },
      },
      { CurrencyIsoCode: 'EUR', IsClosed: false, NextStep: 'Send the offer to Ada and Grace' },
      { StageName: 'Closed Lost', IsClosed: true, IsWon: false, ForecastCategoryName: 'Omitted' },
      { StageName: 'Negotiation/Review', CloseDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
      { StageName: 'Prospecting' },
      { StageName: 'Perception Analysis' },
    ]);
    account.updateRecord('deal', account.idOfRecord('deal', 5), { dealstage: 'Closed Won' });
    expect((await query('SELECT Id FROM Opportunity WHERE IsWon = true')).body.totalSize).toBe(2);
  });

  test('has the fields of an account, and its parent', async () => {
    const { query } = openOrg();
    const { body } = await query(
      'SELECT Website, Industry, NumberOfEmployees, AnnualRevenue, BillingCity, BillingAddress, Parent.Name FROM Account ORDER BY Id LIMIT 2',
    );
    expect(body.records).toMatchObject([
      {
        Website: 'https://www.analytical.example/engines',
        Industry: 'Manufacturing',
        NumberOfEmployees: 42,
        AnnualRevenue: 1_840_000.5,
        BillingCity: 'London',
        BillingAddress: { city: 'London', postalCode: 'W1U 4EG' },
        Parent: { Name: 'Babbage Holdings' },
      },
      { Website: 'navy.example', AnnualRevenue: null, BillingAddress: null, Parent: null },
    ]);
  });

  test('has no currency of a record unless the org has several', async () => {
    const { account, query } = openOrg();
    for (const object of ['Account', 'Contact', 'Opportunity']) {
      const soql = `SELECT CurrencyIsoCode FROM ${object} LIMIT 1`;
      account.setQuirks({ multiCurrency: false });
      expect(await query(soql)).toMatchObject({
        status: 400,
        body: [{ errorCode: 'INVALID_FIELD' }],
      });
      account.setQuirks({ multiCurrency: true });
      expect((await query(soql)).body.records[0].CurrencyIsoCode).toMatch(/^(?:USD|EUR)$/);
    }
  });

  test('lists the stages of the org, of which one is inactive and one has another label', async () => {
    const { query } = openOrg();
    const { body } = await query(
      'SELECT ApiName, MasterLabel, IsActive, IsClosed, IsWon, DefaultProbability, SortOrder FROM OpportunityStage ORDER BY SortOrder',
    );
    expect(body.records).toHaveLength(9);
    expect(body.records.at(-2)).toMatchObject({
      ApiName: 'Closed Won',
      IsWon: true,
      DefaultProbability: 100,
    });
    const others = body.records.filter(
      (one: { ApiName: string; MasterLabel: string; IsActive: boolean }) =>
        !one.IsActive || one.ApiName !== one.MasterLabel,
    );
    expect(others).toHaveLength(2);
  });

  test('hides fields and objects of every kind', async () => {
    const { query, get } = openOrg({
      hiddenFields: ['Account.Phone', 'Amount'],
      hiddenObjects: ['OpportunityContactRole'],
    });
    const codeOf = async (soql: string) => (await query(soql)).body[0]?.errorCode;
    expect(await codeOf('SELECT Phone FROM Account')).toBe('INVALID_FIELD');
    expect((await query('SELECT Phone FROM Contact')).status).toBe(200);
    expect(await codeOf('SELECT Amount FROM Opportunity')).toBe('INVALID_FIELD');
    expect(await codeOf('SELECT Id FROM OpportunityContactRole')).toBe('INVALID_TYPE');
    expect((await get('sobjects/OpportunityContactRole/describe')).status).toBe(404);
  });
});

test('the demo has the same companies and deals in both CRMs, of many kinds', async () => {
  const { hubspot, salesforce } = sandbox;
  const [portal, org] = [hubspot.demo, salesforce.demo];
  const count = (values: readonly unknown[]) => values.filter(Boolean).length;
  const deals = portal.records.all('deal');
  expect(deals.length).toBe(org.records.all('deal').length);
  expect(deals.length).toBeGreaterThan(4_000);
  const companies = deals.map(({ index }) => portal.links.primaryCompanyOf('deal', index));
  expect(companies).toEqual(deals.map(({ index }) => org.links.primaryCompanyOf('deal', index)));
  expect(count(companies.map((one) => one === null))).toBeGreaterThan(200);
  const contacts = deals.map(({ index }) => portal.links.find('deal', index, 'contact').length);
  expect(count(contacts.map((one) => one === 2))).toBeGreaterThan(200);
  const people = portal.people.all().filter(({ isDeleted }) => !isDeleted);
  const isAlone = ({ index }: { index: number }) =>
    (['company', 'deal'] as const).every(
      (to) => portal.links.find('contact', index, to).length === 0,
    );
  expect(people.filter(isAlone).length).toBeGreaterThan(1_000);
  expect(portal.links.find('contact', 1, 'company')).toEqual([
    { index: 7, isPrimary: false },
    { index: 5, isPrimary: false },
    { index: 1, isPrimary: true },
  ]);
  const { query } = createOrgClient(sandbox, org);
  const grouped = async (fields: string) =>
    (await query(`SELECT ${fields}, COUNT(Id) n FROM Opportunity GROUP BY ${fields}`)).body.records;
  const stages = await grouped('StageName');
  expect(stages.length).toBeGreaterThan(7);
  expect(await grouped('CurrencyIsoCode')).toHaveLength(2);
  const search = createClient(sandbox, portal);
  const named = await search('/crm/v3/objects/companies/search', {
    ...byFilter('name', 'CONTAINS_TOKEN', 'harbor*'),
    limit: 100,
  });
  expect(named.body.total).toBeGreaterThan(10);
});
