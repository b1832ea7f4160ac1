import { openSandbox, type Sandbox } from '@crossbook/sandbox';
import { Client } from '@hubspot/api-client';
import { AssociationSpecAssociationCategoryEnum } from '@hubspot/api-client/lib/codegen/crm/associations/v4/models/AssociationSpec.js';
import { FilterOperatorEnum } from '@hubspot/api-client/lib/codegen/crm/contacts/models/Filter.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DIFFERENCES, methodsOf } from '../../../../packages/sandbox/test/differences.ts';

/** Everything that the vendor's client does with contacts, companies, their associations and OAuth. */
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ enforceLimits: false });
});
afterAll(() => sandbox.close());

function open(): Opened {
  const account = sandbox.hubspot.createAccount({
    people: [
      { email: 'ada@x.example', firstName: 'Ada', companyIndex: 1, otherCompanyIndexes: [2] },
      { email: 'bob@x.example', lastName: 'Bell', lifecycleStage: 'lead', ownerIndex: 2 },
    ],
  });
  return {
    account,
    client: new Client({ accessToken: account.accessToken, basePath: sandbox.hubspot.origin }),
  };
}

const BY_EMAIL = {
  filterGroups: [
    {
      filters: [{ propertyName: 'email', operator: FilterOperatorEnum.Eq, value: 'ada@x.example' }],
    },
  ],
};
const BY_NAME = {
  filterGroups: [
    {
      filters: [
        { propertyName: 'name', operator: FilterOperatorEnum.Eq, value: 'Analytical Engines Ltd' },
      ],
    },
  ],
};
const ONE = {
  inputs: [{ id: '501' }],
  properties: ['email'],
  propertiesWithHistory: ['firstname'],
};
const COMPANY = '5790939001';
const PRIMARY = {
  associationCategory: AssociationSpecAssociationCategoryEnum.HubspotDefined,
  associationTypeId: 1,
};
const LEAD = '395700002';
// biome-ignore lint/suspicious/noExplicitAny: the content of writes does not matter
const ANY: any = {
  inputs: [{ id: '501', properties: {} }],
  properties: {},
  objectIdToMerge: '502',
};

/** For each method the expected result, or the name of the difference. */
const SURFACE: Readonly<Record<string, Readonly<Record<string, Read | string>>>> = {
  'crm.contacts.basicApi': {
    getById: [
      ({ client }) =>
        client.crm.contacts.basicApi.getById('501', ['email'], ['firstname'], ['companies']),
      {
        id: '501',
        archived: false,
        createdAt: expect.any(Date),
        properties: { email: 'ada@x.example' },
        propertiesWithHistory: { firstname: [{ value: 'Ada', timestamp: expect.any(Date) }] },
        associations: { companies: { results: [{ id: '5790939002' }, { id: COMPANY }] } },
      },
    ],
    getPage: [
      ({ client }) => client.crm.contacts.basicApi.getPage(1),
      { results: [{ id: '501' }], paging: { next: { after: '501' } } },
    ],
    archive: 'writes',
    create: [
      ({ client }) =>
        client.crm.contacts.basicApi.create({
          properties: { email: 'new@x.example' },
          associations: [],
        }),
      { properties: { email: 'new@x.example' } },
    ],
    merge: 'writes',
    purge: 'writes',
    update: [
      ({ client }) =>
        client.crm.contacts.basicApi.update('501', { properties: { jobtitle: 'Analyst' } }),
      { id: '501', properties: { jobtitle: 'Analyst' } },
    ],
  },
  'crm.contacts.batchApi': {
    read: [
      ({ client }) => client.crm.contacts.batchApi.read(ONE),
      {
        status: 'COMPLETE',
        results: [
          { properties: { email: 'ada@x.example' }, propertiesWithHistory: { firstname: [{}] } },
        ],
      },
    ],
    archive: 'writes',
    create: [
      ({ client }) =>
        client.crm.contacts.batchApi.create({
          inputs: [{ properties: { email: 'batch@x.example' }, associations: [] }],
        }),
      { results: [{ properties: { email: 'batch@x.example' } }] },
    ],
    update: [({ client }) => client.crm.contacts.batchApi.update({ inputs: [] }), { results: [] }],
    upsert: [({ client }) => client.crm.contacts.batchApi.upsert({ inputs: [] }), { results: [] }],
  },
  'crm.contacts.searchApi': {
    doSearch: [
      ({ client }) => client.crm.contacts.searchApi.doSearch(BY_EMAIL),
      { total: 1, results: [{ id: '501' }] },
    ],
  },
  'crm.companies.basicApi': {
    getById: [
      ({ client }) => client.crm.companies.basicApi.getById(COMPANY, ['name']),
      { id: COMPANY, properties: { name: 'Analytical Engines Ltd' }, updatedAt: expect.any(Date) },
    ],
    getPage: [
      ({ client }) => client.crm.companies.basicApi.getPage(1),
      { results: [{ id: COMPANY }], paging: { next: { after: COMPANY } } },
    ],
    archive: 'writes',
    create: [
      ({ client }) =>
        client.crm.companies.basicApi.create({ properties: { name: 'New Ltd' }, associations: [] }),
      { properties: { name: 'New Ltd' } },
    ],
    merge: 'writes',
    update: [
      ({ client }) =>
        client.crm.companies.basicApi.update(COMPANY, { properties: { city: 'London' } }),
      { id: COMPANY, properties: { city: 'London' } },
    ],
  },
  'crm.companies.batchApi': {
    read: [
      ({ client }) =>
        client.crm.companies.batchApi.read({ ...ONE, inputs: [{ id: COMPANY }, { id: '1' }] }),
      { results: [{ id: COMPANY }], numErrors: 1, errors: [{ context: { ids: ['1'] } }] },
    ],
    archive: 'writes',
    create: [
      ({ client }) =>
        client.crm.companies.batchApi.create({
          inputs: [{ properties: { name: 'Batch Ltd' }, associations: [] }],
        }),
      { results: [{ properties: { name: 'Batch Ltd' } }] },
    ],
    update: [({ client }) => client.crm.companies.batchApi.update({ inputs: [] }), { results: [] }],
    upsert: [({ client }) => client.crm.companies.batchApi.upsert({ inputs: [] }), { results: [] }],
  },
  'crm.companies.searchApi': {
    doSearch: [
      ({ client }) => client.crm.companies.searchApi.doSearch(BY_NAME),
      { total: 1, results: [{ id: COMPANY }] },
    ],
  },
  'crm.objects.leads.basicApi': {
    getById: [
      ({ client }) => client.crm.objects.leads.basicApi.getById(LEAD, ['hs_lead_name']),
      { id: LEAD, properties: { hs_lead_name: 'Bell' }, updatedAt: expect.any(Date) },
    ],
    getPage: [
      ({ client }) =>
        client.crm.objects.leads.basicApi.getPage(10, undefined, ['hs_primary_contact_id']),
      { results: [{ id: LEAD, properties: { hs_primary_contact_id: '502' } }] },
    ],
    archive: 'writes',
    create: 'writes',
    update: 'writes',
  },
  'crm.objects.leads.batchApi': {
    read: [
      ({ client }) =>
        client.crm.objects.leads.batchApi.read({ ...ONE, inputs: [{ id: LEAD }, { id: '1' }] }),
      { results: [{ id: LEAD }], numErrors: 1, errors: [{ context: { ids: ['1'] } }] },
    ],
    archive: 'writes',
    create: 'writes',
    update: 'writes',
    upsert: 'writes',
  },
  'crm.objects.leads.searchApi': { doSearch: 'lead-search' },
  'crm.owners.ownersApi': {
    getById: [
      ({ client }) => client.crm.owners.ownersApi.getById(9_586_502, 'userId'),
      { id: '41629702', type: 'PERSON', createdAt: expect.any(Date) },
    ],
    getPage: [
      ({ client }) => client.crm.owners.ownersApi.getPage(undefined, undefined, 1),
      {
        results: [{ id: '41629701', email: 'user-1@sandbox.example', archived: false }],
        paging: { next: { after: '41629701' } },
      },
    ],
  },
  'crm.schemas.coreApi': {
    getAll: [
      ({ client }) => client.crm.schemas.coreApi.getAll(),
      { results: [{ objectTypeId: '2-1001' }, { objectTypeId: '2-1002' }] },
    ],
    getById: [
      ({ client }) => client.crm.schemas.coreApi.getById('contacts'),
      {
        objectTypeId: '0-1',
        labels: { plural: 'Contacts' },
        properties: expect.arrayContaining([expect.objectContaining({ name: 'email' })]),
      },
    ],
    archive: 'writes',
    archiveAssociation: 'writes',
    create: 'writes',
    createAssociation: 'writes',
    update: 'writes',
  },
  'crm.associations.v4.basicApi': {
    getPage: [
      ({ client }) =>
        client.crm.associations.v4.basicApi.getPage('contacts', '501', 'companies', undefined, 1),
      {
        results: [{ associationTypes: [{ typeId: 279 }] }],
        paging: { next: { after: expect.any(String) } },
      },
    ],
    archive: 'writes',
    create: 'writes',
    createDefault: 'writes',
  },
  'crm.associations.v4.batchApi': {
    getPage: [
      ({ client }) => client.crm.associations.v4.batchApi.getPage('contacts', 'companies', ONE),
      { results: [{ _from: { id: '501' }, to: [{}, {}] }] },
    ],
    archive: [
      ({ client }) =>
        client.crm.associations.v4.batchApi.archive('contacts', 'companies', {
          inputs: [{ _from: { id: '501' }, to: [{ id: COMPANY }] }],
        }),
      undefined,
    ],
    archiveLabels: [
      ({ client }) =>
        client.crm.associations.v4.batchApi.archiveLabels('contacts', 'companies', {
          inputs: [{ _from: { id: '501' }, to: { id: COMPANY }, types: [PRIMARY] }],
        }),
      undefined,
    ],
    create: [
      ({ client }) =>
        client.crm.associations.v4.batchApi.create('contacts', 'companies', {
          inputs: [{ _from: { id: '502' }, to: { id: COMPANY }, types: [PRIMARY] }],
        }),
      { results: [{ fromObjectId: '502', toObjectId: COMPANY, labels: [] }] },
    ],
    createDefault: 'writes',
  },
  'crm.associations.v4.reportApi': { request: 'screens' },
  'oauth.accessTokensApi': {
    get: [
      ({ client, account }) => client.oauth.accessTokensApi.get(account.accessToken),
      { tokenType: 'access' },
    ],
  },
  'oauth.refreshTokensApi': {
    get: [
      ({ client, account }) => client.oauth.refreshTokensApi.get(account.refreshToken),
      { tokenType: 'refresh', clientId: expect.any(String) },
    ],
    archive: [
      ({ client, account }) => client.oauth.refreshTokensApi.archive(account.refreshToken),
      undefined,
    ],
  },
  'oauth.tokensApi': {
    create: [
      ({ client, account: { clientId, clientSecret, refreshToken } }) =>
        client.oauth.tokensApi.create(
          ...([
            'refresh_token',
            undefined,
            undefined,
            clientId,
            clientSecret,
            refreshToken,
          ] as const),
        ),
      { tokenType: 'bearer', expiresIn: 1_800 },
    ],
  },
};

const methods = Object.entries(SURFACE).flatMap(([api, named]) =>
  Object.entries(named).map(([method, what]) => [api, method, what] as const),
);
const reads = methods.flatMap(([api, method, what]) =>
  typeof what === 'string' ? [] : [[api, method, what] as const],
);
const differing = methods.flatMap(([api, method, what]) =>
  typeof what === 'string' ? [[api, method, what] as const] : [],
);

test.each(Object.keys(SURFACE))('every method of %s is listed', (api) => {
  expect(Object.keys(SURFACE[api] ?? {}).sort()).toEqual(
    [...methodsOf(apiOf(open().client, api))].sort(),
  );
});

test.each(reads)(
  '%s.%s returns what the vendor’s client expects',
  async (_api, _method, [call, found]) => {
    const result = await call(open());
    if (found === undefined) expect(result).toBeUndefined();
    else expect(result).toMatchObject(found);
  },
);

test.each(differing)('%s.%s differs: %s', async (api, method, difference) => {
  expect(DIFFERENCES).toContain(difference);
  const target = apiOf(open().client, api);
  const call = Reflect.get(target, method) as (...args: readonly unknown[]) => Promise<unknown>;
  const args = ARGUMENTS[`${api}.${method}`];
  await expect(
    Reflect.apply(call, target, args ?? ['contacts', 'companies', ANY]),
  ).rejects.toMatchObject({
    code: 404,
  });
});

test('there are at most ten differences', () => {
  expect(DIFFERENCES.length).toBeLessThanOrEqual(10);
});

function apiOf(client: Client, path: string): object {
  return path.split('.').reduce<object>((at, name) => Reflect.get(at, name) as object, client);
}

const ARGUMENTS: Readonly<Record<string, readonly unknown[]>> = {
  'crm.associations.v4.basicApi.archive': ['contacts', '501', 'companies', COMPANY],
  'crm.associations.v4.basicApi.create': ['contacts', '501', 'companies', COMPANY, []],
  'crm.associations.v4.basicApi.createDefault': ['contacts', '501', 'companies', COMPANY],
  'crm.associations.v4.reportApi.request': [1],
  'crm.objects.leads.searchApi.doSearch': [BY_EMAIL],
};

type Read = readonly [call: (opened: Opened) => Promise<unknown>, found: object | undefined];

interface Opened {
  readonly client: Client;
  readonly account: ReturnType<Sandbox['hubspot']['createAccount']>;
}
