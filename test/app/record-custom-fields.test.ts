import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectAccount } from '../support/connect-account.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

const CRMS = ['hubspot', 'salesforce'] as const;
const RECORDS = [
  { record: 'company', search: 'searchCompanies', path: 'companies', object: 'Account' },
  { record: 'deal', search: 'searchDeals', path: 'deals', object: 'Opportunity' },
] as const;
const ROWS = CRMS.flatMap((crm) => RECORDS.map((row) => ({ crm, ...row })));
const FIELDS = { tier: 'CHOICE', score: 'NUMBER', renewal: 'DATE' } as const;

let served = 0;
describe.each(ROWS)(
  'custom fields of a $record in $crm',
  ({ crm, record, search, path, object }) => {
    const toName = (name: string) =>
      crm === 'hubspot' ? name : `${name.charAt(0).toUpperCase()}${name.slice(1)}__c`;
    const RECORD = record.toUpperCase();

    async function connect() {
      const customerId = `records-${++served}`;
      const { account, headers } = await connectAccount(crossbook, {
        provider: crm,
        people: [{}],
        customerId,
      });
      const { status } = await crossbook.rest('PUT', '/customers', {
        customer_id: customerId,
        name: 'C',
        email: 'c@example.com',
        connections: [{ provider_name: crm, records: ['contact', 'company', 'deal'] }],
      });
      expect(status).toBe(200);
      const typed = { tier: 'picklist', score: 'double', renewal: 'date' };
      const quirks =
        crm === 'hubspot'
          ? {
              propertyTypes: {
                [`${record}.tier`]: {
                  type: 'enumeration',
                  fieldType: 'select',
                  options: ['A', 'B'],
                },
                [`${record}.score`]: { type: 'number', fieldType: 'number' },
                [`${record}.renewal`]: { type: 'date', fieldType: 'date' },
              },
            }
          : {
              customFields: Object.fromEntries(
                Object.entries(typed).map(([name, type]) => [
                  `${object}.${toName(name)}`,
                  { type },
                ]),
              ),
            };
      account.setQuirks(quirks as never);
      const values = { name: 'Mine', tier: 'A', score: '17', renewal: '2026-01-31' };
      const id = account.addRecord(record, values);
      account.addRecord(record, { name: 'Other', tier: 'B' });
      return { account, headers, customerId, id };
    }
    const declare = async (fields: object = FIELDS, typedSchema = false) => {
      const definitions = Object.entries(fields).map(([name, type]) => ({
        name,
        type: (type as string).toLowerCase(),
        sources: [{ provider_name: crm, field: toName(name) }],
      }));
      const body = { definitions, typed_schema: typedSchema };
      const stored = await crossbook.rest('PUT', `/custom_fields/${record}`, body);
      expect([stored.status, stored.body.errors]).toEqual([200, undefined]);
    };
    const VALUES = { tier: 'A', score: 17, renewal: '2026-01-31' };
    const read = async (
      { headers, id }: { headers: Record<string, string>; id: string },
      selection: string,
    ): Promise<Json> => {
      const query = `query ($of: [_Any!]!) { _entities(representations: $of) { ... on ${RECORD.charAt(0)}${record.slice(1)} { ${selection} } } }`;
      const reference = {
        __typename: `${RECORD.charAt(0)}${record.slice(1)}`,
        customerId: headers['x-customer-id'],
        provider: crm.toUpperCase(),
        remoteId: id,
      };
      const { data, errors } = await crossbook.execute(query, { of: [reference] }, headers);
      expect(errors).toBeUndefined();
      return data._entities[0];
    };

    test('are read in GraphQL and REST, only those that are selected, and are found by the filter', async () => {
      await declare();
      const own = await connect();
      expect(await read(own, 'customFields')).toEqual({ customFields: VALUES });
      expect(await read(own, 'customFields(names: ["score"])')).toEqual({
        customFields: { score: 17 },
      });
      const one = await crossbook.rest('GET', `/${path}/${own.id}`, undefined, own.headers);
      expect(one.body.custom_fields).toEqual(VALUES);
      for (const [name, equals] of [
        ['tier', 'A'],
        ['score', '17'],
        ['renewal', '2026-01-31'],
      ]) {
        const query = `{ ${search}(filter: { customField: { name: "${name}", equals: "${equals}" } }) { nodes { name customFields } } }`;
        const { data, errors } = await crossbook.execute(query, {}, own.headers);
        expect([name, errors]).toEqual([name, undefined]);
        expect(data[search].nodes).toEqual([{ name: 'Mine', customFields: VALUES }]);
      }
      const filter = { custom_field: { name: 'tier', equals: 'A' } };
      const found = await crossbook.rest('POST', `/${path}/_search`, { filter }, own.headers);
      expect(found.body.records.map((found: Json) => found.custom_fields)).toEqual([VALUES]);
    });

    test('follow the mappings of their own type of record, and what is missing fails no search', async () => {
      await declare();
      const own = await connect();
      const connection = `/customers/${own.customerId}/connections/${crm}`;
      const gone = toName('gone');
      const mapped = await crossbook.rest('PUT', `${connection}/custom_field_mappings/${record}`, {
        mappings: [{ field: 'tier', source: gone }],
      });
      expect(mapped.status).toBe(200);
      expect(await read(own, 'customFields')).toEqual({ customFields: { ...VALUES, tier: null } });
      const problems = await crossbook.rest('GET', `${connection}/mapping_problems`);
      // Other types of records have definitions of other tests.
      const ofRecord = problems.body.records.filter((one: Json) => one.record === record);
      expect(ofRecord).toMatchObject([{ record, field: 'tier', source: gone, problem: 'missing' }]);
      const ofContacts = await crossbook.rest('GET', `${connection}/custom_field_mappings/contact`);
      expect(ofContacts.body).toEqual({ mappings: [] });
      const fields = await crossbook.rest('GET', `${connection}/provider_fields/${record}`);
      const listed = fields.body.records.filter(({ is_custom }: Json) => is_custom);
      expect(listed.map(({ name }: Json) => name)).toEqual(
        expect.arrayContaining(Object.keys(FIELDS).map(toName)),
      );
      const contacts = await crossbook.rest('GET', `${connection}/provider_fields/contact`);
      expect(contacts.body.records.map(({ name }: Json) => name)).not.toContain(toName('renewal'));
    });

    test('are fields of the typed schema, by themselves', async () => {
      await declare(FIELDS, true);
      const own = await connect();
      expect(await read(own, 'custom { tier score renewal }')).toEqual({ custom: VALUES });
      await declare();
    });
  },
);
