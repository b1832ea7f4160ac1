import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { openWritable, outcomesOf, problemsOf, RESULT } from '../support/write-contacts.ts';

const withCompany = RESULT.replace(
  'changedFields',
  `changedFields company { remoteId name website industry employeeCount annualRevenue { value }
    phoneNumbers { phoneNumber phoneNumberType } addresses { addressType street1 city } ownerId }`,
);
const UPSERT = `mutation ($input: UpsertCompaniesInput!) { upsertCompanies(input: $input) { ${withCompany} } }`;
const CREATE = `mutation ($input: CreateCompaniesInput!) { createCompanies(input: $input) { ${withCompany} } }`;
const UPDATE = `mutation ($input: UpdateCompaniesInput!) { updateCompanies(input: $input) { ${withCompany} } }`;

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
  const { status, body } = await crossbook.rest('PUT', '/custom_fields/company', {
    definitions: [
      {
        name: 'erpNumber',
        type: 'text',
        sources: [
          { provider_name: 'hubspot', field: 'erp_number' },
          { provider_name: 'salesforce', field: 'Erp_Number__c' },
        ],
      },
      {
        name: 'tier',
        type: 'text',
        sources: [
          { provider_name: 'hubspot', field: 'tier' },
          { provider_name: 'salesforce', field: 'Tier__c' },
        ],
      },
    ],
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
});
afterAll(() => crossbook.close());

describe.each(['hubspot', 'salesforce'] as const)('Companies of %s', (provider) => {
  const open = async (name: string) => {
    const opened = await openWritable(crossbook, {
      provider,
      customerId: `companies ${name} ${provider}`,
      people: [],
      records: ['company'],
    });
    const { account } = opened;
    account.setQuirks(
      (provider === 'hubspot'
        ? {
            propertyTypes: {
              'company.erp_number': { type: 'string', fieldType: 'text', hasUniqueValue: true },
              'company.tier': { type: 'string', fieldType: 'text' },
            },
          }
        : {
            customFields: {
              'Account.Erp_Number__c': { type: 'string', isUnique: true },
              'Account.Tier__c': { type: 'string' },
            },
          }) as never,
    );
    const count = () => account.records.all('company').filter(({ isDeleted }) => !isDeleted).length;
    return { ...opened, count };
  };

  test('are created and changed by id, and read back as they were written', async () => {
    const { run, count } = await open('ids');
    const before = count();
    const place = { addressType: provider === 'hubspot' ? 'PRIMARY' : 'SHIPPING' };
    const changes = {
      name: 'Engines Ltd',
      website: 'https://engines.example',
      employeeCount: 42,
      annualRevenue: { value: '1840000.5' },
      industry: provider === 'hubspot' ? 'BANKING' : 'Banking',
      phoneNumbers: [{ phoneNumber: '+44 20 1', phoneNumberType: 'PRIMARY' }],
      addresses: [{ ...place, street1: '1 Dorset Street', city: 'London' }],
      customFields: { tier: 'gold' },
    };
    const created = await run(CREATE, { records: [{ changes }, { changes: { website: 'x' } }] });
    expect(created.errors).toBeUndefined();
    expect(problemsOf(created)).toEqual([
      { index: 1, outcome: 'REFUSED', problems: [expect.objectContaining({ code: 'REQUIRED' })] },
    ]);
    const { remoteId, company, outcome } = created.results[0];
    const { customFields: _, ...written } = changes;
    expect(outcome).toBe('CREATED');
    expect(company).toMatchObject({ remoteId, ...written });
    expect(count()).toBe(before + 1);
    const records = [
      { remoteId, changes: { name: 'Engines plc', phoneNumbers: null, employeeCount: 42 } },
      { remoteId: '999', changes: { name: 'None' } },
    ];
    const updated = await run(UPDATE, { records });
    expect(outcomesOf(updated)).toEqual(['UPDATED', 'REFUSED']);
    expect(updated.results[0].changedFields).toEqual(['name', 'phoneNumbers']);
    expect(updated.results[0].company).toMatchObject({ name: 'Engines plc', phoneNumbers: [] });
    expect(updated.results[1].problems[0].code).toBe('NOT_FOUND');
  });

  test('are created, changed and left as they are by an upsert by a custom field with unique values', async () => {
    const { run, count } = await open('upsert');
    const before = count();
    const item = (value: string, name: string, customField = 'erpNumber') => ({
      customField,
      value,
      changes: { name },
    });
    const first = await run(UPSERT, { records: [item('C-1', 'One'), item('C-2', 'Two')] });
    expect(first.errors).toBeUndefined();
    expect(outcomesOf(first)).toEqual(['CREATED', 'CREATED']);
    const records = [
      item('c-1', 'One'),
      item('C-2', 'Second'),
      item('C-3', 'Three'),
      item('C-4', 'Twice'),
      item(' c-4 ', 'Twice'),
      item('C-5', 'No', 'tier'),
      item('C-6', 'No', 'unknown'),
      item(' ', 'No'),
    ];
    const preview = await run(UPSERT, { records, dryRun: true });
    const second = await run(UPSERT, { records });
    const refused = Array.from({ length: 5 }, () => 'REFUSED');
    expect(outcomesOf(second)).toEqual(['UNCHANGED', 'UPDATED', 'CREATED', ...refused]);
    expect(outcomesOf(preview)).toEqual(outcomesOf(second));
    expect(second.results.slice(0, 2).map(({ remoteId }: Json) => remoteId)).toEqual(
      first.results.map(({ remoteId }: Json) => remoteId),
    );
    expect(problemsOf(second)).toMatchObject([
      { index: 3, problems: [{ code: 'CONFLICT', field: ['value'] }] },
      { index: 4, problems: [{ code: 'CONFLICT', field: ['value'] }] },
      { index: 5, problems: [{ code: 'INVALID_VALUE', field: ['customField'] }] },
      { index: 6, problems: [{ code: 'UNKNOWN_FIELD', field: ['customField'] }] },
      { index: 7, problems: [{ code: 'INVALID_VALUE', field: ['value'] }] },
    ]);
    expect(count()).toBe(before + 3);
    const updateOnly = await run(UPSERT, { updateOnly: true, records: [item('C-9', 'Nine')] });
    expect(problemsOf(updateOnly)).toMatchObject([{ problems: [{ code: 'NOT_FOUND' }] }]);
  });

  test('refuse a value that another company has, and name it', async () => {
    const { run } = await open('unique');
    const create = (name: string, erpNumber: string) =>
      run(CREATE, { records: [{ changes: { name, customFields: { erpNumber } } }] });
    const { results } = await create('First', 'U-1');
    const taken = await create('Second', 'U-1');
    const [problem] = taken.results[0].problems;
    expect(problem).toMatchObject({ code: 'ALREADY_EXISTS' });
    expect([results[0].remoteId.slice(0, 15)]).toEqual(
      problem.existingRemoteIds.map((id: string) => id.slice(0, 15)),
    );
  });

  test('that get a domain which others have are written, with a warning and the ids', async () => {
    const { run } = await open('domain');
    const changes = (name: string) =>
      provider === 'hubspot'
        ? { name, domain: 'www.same.example' }
        : { name, website: 'https://www.same.example/about' };
    const first = await run(CREATE, { records: [{ changes: changes('First') }] });
    const [{ remoteId, warnings: none }] = first.results;
    expect(none).toEqual([]);
    const records = [{ changes: changes('Second') }, { changes: { name: 'Other' } }];
    const preview = await run(CREATE, { dryRun: true, records });
    const second = await run(CREATE, { records });
    for (const { results } of [preview, second]) {
      expect(results.map(({ outcome }: Json) => outcome)).toEqual(['CREATED', 'CREATED']);
      expect(results[0].warnings).toMatchObject([
        { code: 'ALREADY_EXISTS', existingRemoteIds: [remoteId] },
      ]);
      expect(results[1].warnings).toEqual([]);
    }
  });

  test('say in their descriptions and in the capabilities what can be written', async () => {
    const { headers } = await open('described');
    const { customerId } = { customerId: headers['x-customer-id'] };
    const { body } = await crossbook.rest(
      'GET',
      `/customers/${encodeURIComponent(customerId ?? '')}/connections/${provider}/writable_fields/company`,
    );
    const named = new Map(body.records.map((one: Json) => [one.name, one]));
    const [erp, name] = provider === 'hubspot' ? ['erp_number', 'name'] : ['Erp_Number__c', 'Name'];
    expect(named.get(erp)).toMatchObject({ is_unique: true, can_create: true });
    expect(named.get(name)).toMatchObject({ is_unique: false, can_update: true });
    const { data } = await crossbook.execute(
      '{ providers { name capabilities { record canWrite canUpsert } } }',
    );
    const { capabilities } = data.providers.find(
      (one: Json) => one.name === provider.toUpperCase(),
    );
    expect(capabilities).toContainEqual({ record: 'COMPANY', canWrite: true, canUpsert: true });
  });

  test('are written in REST by the same operations', async () => {
    const { headers } = await open('rest');
    const { body, status } = await crossbook.rest(
      'POST',
      '/companies/_upsert',
      { records: [{ custom_field: 'erpNumber', value: 'R-1', changes: { employee_count: 3 } }] },
      headers,
    );
    expect(status).toBe(200);
    const field = provider === 'hubspot' ? ['changes'] : ['changes', 'name'];
    expect(body.results[0]).toMatchObject({
      outcome: 'refused',
      problems: [{ code: 'REQUIRED', field }],
    });
    const created = await crossbook.rest(
      'POST',
      '/companies/_create',
      { records: [{ changes: { name: 'R', employee_count: 3 } }] },
      headers,
    );
    expect(created.body.results[0]).toMatchObject({
      outcome: 'created',
      changed_fields: ['name', 'employee_count'],
    });
  });
});
