import type { HubSpotAccount, Person, SalesforceAccount } from '@crossbook/sandbox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MappingProblemKind, mappingProblemKind } from '../../src/domain/custom-field.ts';
import { wordsOf } from '../../src/domain/shape.ts';
import { type Connected, connectAccount } from '../support/connect-account.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

type Crm = 'hubspot' | 'salesforce';
const PEOPLE: readonly Partial<Person>[] = [
  { email: 'ada@own.example', custom: { text: 'violet', number: '17', day: 'someday' } },
  { email: 'bob@own.example', custom: { text: 'red', number: '18', day: '2026-01-31' } },
];
const HUBSPOT_FIELDS = {
  text: { type: 'string', fieldType: 'text' },
  number: { type: 'number', fieldType: 'number' },
  day: { type: 'date', fieldType: 'date' },
  area: { type: 'string', fieldType: 'html', isUnsearchable: true },
} as const;
const SALESFORCE_FIELDS = {
  Text__c: { type: 'string' },
  Number__c: { type: 'double' },
  Day__c: { type: 'date' },
  Area__c: { type: 'textarea', isUnfilterable: true },
} as const;

let served = 0;
/** A customer with one connection, and an application that reads `own` from a field of the CRM. */
async function connect(crm: Crm) {
  const customerId = `mapped-${++served}`;
  const connected = await connectAccount(crossbook, { provider: crm, people: PEOPLE, customerId });
  const account = connected.account as HubSpotAccount & SalesforceAccount;
  const toName = (name: string) =>
    crm === 'hubspot' ? name : `${name.charAt(0).toUpperCase()}${name.slice(1)}__c`;
  const setQuirks = (quirks: object) => account.setQuirks(quirks as never);
  const path = `/customers/${customerId}/connections/${crm}`;
  const own = {
    ...connected,
    crm,
    toName,
    /** Adds fields to the CRM, or changes their type. */
    define: (hubspot: object, salesforce: object) =>
      setQuirks(
        crm === 'hubspot'
          ? { propertyTypes: { ...HUBSPOT_FIELDS, ...hubspot } }
          : { customFields: { ...SALESFORCE_FIELDS, ...salesforce } },
      ),
    setQuirks,
    update: (person: Partial<Person>) => account.updatePerson(account.recordId(1), person),
    remove: () => account.removePerson(account.recordId(1)),
    declare: (fields: readonly { name: string; type: string; source?: string }[]) =>
      succeed('PUT', '/custom_fields/contact', {
        definitions: fields.map(({ name, type, source }) => ({
          name,
          type,
          sources: source === undefined ? [] : [{ provider_name: crm, field: source }],
        })),
      }),
    map: (mappings: readonly { field: string; source: string }[]) =>
      succeed('PUT', `${path}/custom_field_mappings/contact`, { mappings }),
    /** The specification's mapping of an object's field. */
    mapObject: (object: string | null, field = 'own') =>
      succeed('PUT', '/customers', {
        customer_id: customerId,
        name: 'C',
        email: 'c@example.com',
        connections: [
          {
            provider_name: crm,
            schema_mappings_config:
              object === null
                ? null
                : {
                    common_objects: [
                      {
                        object,
                        field_mappings: [{ schema_field: field, mapped_field: toName('text') }],
                      },
                    ],
                  },
          },
        ],
      }),
    search: async (filter: object) =>
      (await crossbook.rest('POST', '/contacts/_search', { filter }, connected.headers)).status,
    problems: async (): Promise<readonly string[]> =>
      (await succeed('GET', `${path}/mapping_problems`)).records.map(({ problem }: Json) =>
        problem.toUpperCase(),
      ),
  };
  own.define({}, {});
  return own;
}
type Own = Connected & Awaited<ReturnType<typeof connect>>;

async function succeed(method: string, path: string, body?: object): Promise<Json> {
  const answer = await crossbook.rest(method as 'GET', path, body);
  expect([path, answer.status, answer.body?.errors]).toEqual([path, 200, undefined]);
  return answer.body;
}

const declareOwn = (own: Own, type: string, source: string) =>
  own.declare([{ name: 'own', type, source: own.toName(source) }]);
const readAda = async (own: Own) =>
  expect(await own.search({ email: 'ada@own.example' })).toBe(200);

/** Each way to cause a problem of a kind, with each way to fix it. A CRM without it cannot have the problem. */
const CAUSES: Readonly<Record<MappingProblemKind, readonly Cause[]>> = {
  MISSING: [
    {
      name: 'the CRM has no such field',
      cause: (own) => declareOwn(own, 'TEXT', 'gone'),
      fixes: {
        'another source is declared': (own) => declareOwn(own, 'TEXT', 'text'),
        'another field is mapped': (own) => own.map([{ field: 'own', source: own.toName('text') }]),
        'the custom field is removed': (own) => own.declare([{ name: 'other', type: 'TEXT' }]),
        'the CRM gets the field': (own) =>
          own.define(
            { gone: { type: 'string', fieldType: 'text' } },
            { Gone__c: { type: 'string' } },
          ),
      },
    },
    {
      name: 'a related record has no such field',
      crms: ['salesforce'],
      cause: async (own) => {
        await own.declare([{ name: 'own', type: 'TEXT', source: 'Account.Name' }]);
        own.setQuirks({ hiddenObjects: ['Account'] });
        await readAda(own);
      },
      fixes: {
        'another source is declared': (own) => declareOwn(own, 'TEXT', 'text'),
        'the CRM shows it': (own) => own.setQuirks({ hiddenObjects: [] }),
      },
    },
  ],
  HIDDEN: [
    {
      name: 'the CRM hides the field',
      crms: ['salesforce'],
      cause: async (own) => {
        await own.declare([{ name: 'own', type: 'TEXT', source: 'Title' }]);
        own.setQuirks({ hiddenFields: ['Title'] });
        await readAda(own);
      },
      fixes: {
        'the CRM shows the field': (own) => own.setQuirks({ hiddenFields: [] }),
        'another source is declared': (own) => declareOwn(own, 'TEXT', 'text'),
        'another field is mapped': (own) => own.map([{ field: 'own', source: own.toName('text') }]),
      },
    },
  ],
  TYPE_MISMATCH: [
    {
      name: 'the CRM’s field has another type',
      cause: (own) => declareOwn(own, 'NUMBER', 'text'),
      fixes: {
        'another source is declared': (own) => declareOwn(own, 'NUMBER', 'number'),
        'another field is mapped': (own) =>
          own.map([{ field: 'own', source: own.toName('number') }]),
        'the custom field gets the type': (own) => declareOwn(own, 'TEXT', 'text'),
        'the CRM’s field gets the type': (own) =>
          own.define({ text: HUBSPOT_FIELDS.number }, { Text__c: { type: 'double' } }),
      },
    },
    {
      name: 'a value does not fit',
      cause: async (own) => {
        await declareOwn(own, 'DATE', 'day');
        await readAda(own);
      },
      fixes: {
        'another source is declared': (own) => declareOwn(own, 'TEXT', 'text'),
        'the custom field takes every value': (own) => declareOwn(own, 'TEXT', 'day'),
        'the value is corrected': (own) => own.update({ custom: { day: '2026-02-01' } }),
        'the value is removed': (own) => own.update({ custom: { day: null } }),
        'the contact is deleted': (own) => own.remove(),
      },
    },
  ],
  NOT_FILTERABLE: [
    {
      name: 'the CRM cannot filter by the field',
      cause: async (own) => {
        await declareOwn(own, 'TEXT', 'area');
        expect(await own.search({ custom_field: { name: 'own', equals: 'long' } })).toBe(422);
      },
      fixes: {
        'another source is declared': (own) => declareOwn(own, 'TEXT', 'text'),
        'another field is mapped': (own) => own.map([{ field: 'own', source: own.toName('text') }]),
        'the CRM can filter by the field': (own) =>
          own.define({ area: HUBSPOT_FIELDS.text }, { Area__c: { type: 'string' } }),
      },
    },
  ],
  UNKNOWN_FIELD: [
    {
      name: 'no custom field has the name of a mapping',
      cause: async (own) => {
        await own.declare([{ name: 'other', type: 'TEXT' }]);
        await own.mapObject('contact', 'own');
      },
      fixes: {
        'the custom field is declared': (own) =>
          own.declare([{ name: 'own', type: 'TEXT', source: own.toName('text') }]),
        'the mapping is removed': (own) => own.mapObject(null),
      },
    },
  ],
  UNKNOWN_OBJECT: [
    {
      name: 'the mapping is of another object',
      cause: async (own) => {
        await declareOwn(own, 'TEXT', 'text');
        await own.mapObject('campaign');
      },
      fixes: {
        'the object is corrected': (own) => own.mapObject('contact'),
        'the mapping is removed': (own) => own.mapObject(null),
      },
    },
  ],
};

const CRMS: readonly Crm[] = ['hubspot', 'salesforce'];
const TABLE = wordsOf(mappingProblemKind).flatMap((kind) =>
  CAUSES[kind].flatMap(({ name, crms = CRMS, cause, fixes }) =>
    crms.flatMap((crm) =>
      Object.entries(fixes).map(([way, fix]) => ({ kind, name, crm, way, cause, fix })),
    ),
  ),
);

describe('a mapping problem', () => {
  test('has a cause and ways to fix it here for each kind', () => {
    expect(Object.keys(CAUSES)).toEqual(wordsOf(mappingProblemKind));
    for (const causes of Object.values(CAUSES)) expect(causes.length).toBeGreaterThan(0);
  });

  test.each(TABLE)(
    '$kind in $crm, because $name, ends with the first read after $way',
    async ({ kind, crm, cause, fix }) => {
      const own = await connect(crm);
      await cause(own);
      await expect.poll(own.problems).toEqual([kind]);
      // It does not end by itself.
      expect(await own.problems()).toEqual([kind]);
      await fix(own);
      expect(await own.problems()).toEqual([]);
      expect(await own.problems()).toEqual([]);
    },
  );

  test('that comes back after it had ended is shown again, with a new time', async () => {
    const own = await connect('hubspot');
    await declareOwn(own, 'DATE', 'day');
    await readAda(own);
    await expect.poll(own.problems).toEqual(['TYPE_MISMATCH']);
    own.update({ custom: { day: '2026-02-01' } });
    expect(await own.problems()).toEqual([]);
    own.update({ custom: { day: 'someday' } });
    await readAda(own);
    await expect.poll(own.problems).toEqual(['TYPE_MISMATCH']);
  });
});

interface Cause {
  readonly name: string;
  /** Absent: both. */
  readonly crms?: readonly Crm[];
  cause(own: Own): Promise<unknown>;
  readonly fixes: Readonly<Record<string, (own: Own) => unknown>>;
}
