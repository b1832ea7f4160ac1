import { describe, expect, test } from 'vitest';
import type { ConnectionSyncConfig } from '../../src/domain/connection.ts';
import { RECORD_TYPES } from '../../src/domain/records/record-type.ts';
import type { SyncConfigurationInput } from '../../src/domain/sync.ts';
import { findNameProblem, planSyncs } from '../../src/domain/sync-plan.ts';
import { findSyncedRecord } from '../../src/domain/synced-records.ts';
import { createConnection } from '../support/connection.ts';
import { SYNC_CONTACTS, SYNC_NOTHING } from '../support/sync-settings.ts';

const COMPANIES = [{ object: 'companies', table: null }];
const NONE: ConnectionSyncConfig = {
  destinationConfig: null,
  standardObjects: null,
  customObjects: null,
};

/** What the specification and the contract say of each override: `schema.table` of each sync, or its problem. */
const CASES: readonly Case[] = [
  ['nothing configured', {}, NONE, []],
  ['contacts', { contacts: true }, NONE, ['crm.contacts']],
  ['a default table', { standardObjects: COMPANIES }, NONE, ['crm.hubspot_companies']],
  [
    'a table of the configuration',
    { standardObjects: [{ object: 'companies', table: 'firms' }] },
    NONE,
    ['crm.firms'],
  ],
  [
    'a default table in lower case',
    { customObjects: [{ object: 'MyCars', table: null }] },
    NONE,
    ['crm.hubspot_mycars'],
  ],
  [
    'a schema for one connection',
    { contacts: true, standardObjects: COMPANIES },
    { ...NONE, destinationConfig: { type: 'postgres', schema: 'acme' } },
    ['acme.contacts', 'acme.hubspot_companies'],
  ],
  [
    'a postgres destination without a schema',
    { contacts: true },
    { ...NONE, destinationConfig: { type: 'postgres', schema: null } },
    ['crm.contacts'],
  ],
  [
    'standard objects of the connection replace the list',
    { contacts: true, standardObjects: COMPANIES },
    { ...NONE, standardObjects: [{ object: 'deals', table: 'acme_deals' }] },
    ['crm.contacts', 'crm.acme_deals'],
  ],
  [
    'custom objects of the connection replace only theirs',
    { standardObjects: COMPANIES, customObjects: [{ object: 'cars', table: null }] },
    { ...NONE, customObjects: [{ object: 'boats', table: null }] },
    ['crm.hubspot_companies', 'crm.hubspot_boats'],
  ],
  [
    'an empty list replaces nothing',
    { standardObjects: COMPANIES },
    { ...NONE, standardObjects: [], customObjects: [] },
    ['crm.hubspot_companies'],
  ],
  [
    'BigQuery',
    { contacts: true },
    { ...NONE, destinationConfig: { type: 'bigquery', dataset: 'set' } },
    ['NOT_IMPLEMENTED: Syncs to BigQuery are not implemented'],
  ],
  [
    'two objects into one table',
    {
      standardObjects: [
        { object: 'companies', table: 'same' },
        { object: 'deals', table: 'same' },
      ],
    },
    NONE,
    ['crm.same', 'CONFIGURATION: The table "same" is already used by another sync'],
  ],
  [
    'an object into the table of contacts',
    { contacts: true, standardObjects: [{ object: 'companies', table: 'contacts' }] },
    NONE,
    ['crm.contacts', 'CONFIGURATION: The table "contacts" is already'],
  ],
  [
    'an object into a table of edges',
    {
      contacts: true,
      companies: true,
      edges: true,
      customObjects: [{ object: 'cars', table: 'contact_companies' }],
    },
    NONE,
    ['crm.contacts', 'crm.companies', 'CONFIGURATION: The table "contact_companies" is already'],
  ],
  [
    'all types of records in the common shape, and an object beside them',
    { contacts: true, companies: true, deals: true, standardObjects: COMPANIES },
    NONE,
    ['crm.contacts', 'crm.companies', 'crm.deals', 'crm.hubspot_companies'],
  ],
  [
    'an override into a table of the configuration',
    { contacts: true, customObjects: [{ object: 'cars', table: 'things' }] },
    { ...NONE, standardObjects: [{ object: 'deals', table: 'things' }] },
    ['crm.contacts', 'crm.things', 'CONFIGURATION: The table "things" is already'],
  ],
  [
    'a table with a quote',
    {},
    { ...NONE, standardObjects: [{ object: 'deals', table: 'de"als' }] },
    ['CONFIGURATION: The table "de\\"als" is not a valid name'],
  ],
  [
    'a table of 70 bytes',
    {},
    { ...NONE, standardObjects: [{ object: 'deals', table: 'd'.repeat(70) }] },
    ['CONFIGURATION: The table "dddd'],
  ],
  [
    'a schema of PostgreSQL',
    { contacts: true },
    { ...NONE, destinationConfig: { type: 'postgres', schema: 'pg_catalog' } },
    ['CONFIGURATION: The schema "pg_catalog" is reserved'],
  ],
  [
    'an object that is no name',
    {},
    { ...NONE, standardObjects: [{ object: 'a/../b', table: null }] },
    ['CONFIGURATION: The object "a/../b" is not a valid name'],
  ],
  [
    'an object twice',
    {},
    {
      ...NONE,
      standardObjects: [
        { object: 'deals', table: 'one' },
        { object: 'deals', table: 'two' },
      ],
    },
    ['crm.one'],
  ],
];

test.each(CASES)('%s', (_what, configuration, connectionSyncConfig, expected) => {
  const planned = planSyncs({
    destination: { schema: 'crm' },
    configuration: { ...SYNC_NOTHING, ...configuration },
    connection: createConnection('hubspot', {
      connectionSyncConfig,
      readableRecords: RECORD_TYPES,
    }),
  });
  const shown = planned.map(({ schema, table, problem }) =>
    problem ? `${problem.code}: ${problem.detail}` : `${schema}.${table}`,
  );
  expect(shown).toEqual(expected.map((one) => expect.stringContaining(one)));
  expect(planned.map(({ pauseReason }) => pauseReason)).toEqual(planned.map(() => null));
});

test.each([
  ['connected', true, { schema: 'crm' }, null],
  ['reauthorize', true, { schema: 'crm' }, 'REAUTHORIZE'],
  ['unauthorized', true, { schema: 'crm' }, 'NOT_CONNECTED'],
  ['connected', false, { schema: 'crm' }, 'DISABLED'],
  ['connected', true, undefined, 'NO_DESTINATION'],
] as const)(
  'a connection that is %s, enabled %s, at %j, is paused with %s',
  (status, isEnabled, destination, reason) => {
    const [sync] = planSyncs({
      destination,
      configuration: { ...SYNC_CONTACTS, isEnabled },
      connection: createConnection('salesforce', { status }),
    });
    expect(sync?.pauseReason).toBe(reason);
  },
);

describe('a connection that may not read all records', () => {
  const configuration = {
    ...SYNC_CONTACTS,
    companies: true,
    deals: true,
    edges: true,
    standardObjects: [{ object: 'companies', table: 'as_they_are' }],
  };
  test.each(RECORD_TYPES)('syncs %s alone, with no edges to other records', (type) => {
    const planned = planSyncs({
      destination: { schema: 'crm' },
      configuration,
      connection: createConnection('hubspot', { readableRecords: [type] }),
    });
    for (const { kind, problem, edgeTables } of planned) {
      const record = findSyncedRecord(kind)?.type;
      const isAllowed = record === undefined || record === type;
      expect(problem?.code ?? null).toBe(isAllowed ? null : 'NOT_ALLOWED');
      expect(edgeTables).toEqual([]);
    }
  });

  test('syncs edges between records that it may read', () => {
    const planned = planSyncs({
      destination: { schema: 'crm' },
      configuration,
      connection: createConnection('hubspot', { readableRecords: ['CONTACT', 'DEAL'] }),
    });
    const tables = planned.flatMap(({ edgeTables }) => edgeTables);
    expect([...new Set(tables)]).toEqual(['deal_contacts']);
  });
});

test.each(['contacts', '_a', 'a-b', 'Ünïcode', 'a$1'])('%s may name a table', (name) => {
  expect(findNameProblem('table', name)).toBeNull();
});

test.each(['', '1a', 'a b', 'a"b', "a'b", 'a;b', 'a\0b', 'a.b', 'é'.repeat(40)])(
  '%j may not name a table',
  (name) => {
    expect(findNameProblem('table', name)?.code).toBe('CONFIGURATION');
  },
);

type Case = readonly [
  what: string,
  configuration: Partial<SyncConfigurationInput>,
  override: ConnectionSyncConfig,
  expected: readonly string[],
];

test.each([
  [
    'all types',
    { contacts: true, companies: true, deals: true, edges: true },
    [
      ['contacts', ['contact_companies', 'deal_contacts']],
      ['companies', ['contact_companies', 'deal_companies']],
      ['deals', ['deal_contacts', 'deal_companies']],
    ],
  ],
  [
    'two types',
    { contacts: true, deals: true, edges: true },
    [
      ['contacts', ['deal_contacts']],
      ['deals', ['deal_contacts']],
    ],
  ],
  ['one type', { contacts: true, edges: true }, [['contacts', []]]],
  [
    'types without edges',
    { contacts: true, companies: true },
    [
      ['contacts', []],
      ['companies', []],
    ],
  ],
] as const)(
  '%s: a sync has the tables of edges that its records are an end of',
  (_what, configuration, expected) => {
    const planned = planSyncs({
      destination: { schema: 'crm' },
      configuration: { ...SYNC_NOTHING, ...configuration },
      connection: createConnection('hubspot', { readableRecords: RECORD_TYPES }),
    });
    expect(planned.map(({ table, edgeTables }) => [table, edgeTables])).toEqual(expected);
  },
);
