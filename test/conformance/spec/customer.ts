import { category, PROVIDER_NAMES } from '../../../src/domain/provider-names.ts';
import { wordsOf } from '../../../src/domain/shape.ts';
import { type Expected, graphql, type Row, rest, row } from '../row.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const MAPPINGS = [{ schema_field: 'colour', mapped_field: 'favorite_color' }];
const CONNECTION = {
  provider_name: 'hubspot',
  instance_url: 'https://app.hubspot.com',
  schema_mappings_config: {
    common_objects: [{ object: 'contact', field_mappings: MAPPINGS }],
    standard_objects: [{ object: 'contacts', field_mappings: [] }],
  },
  entity_mappings: [
    {
      entity_id: 'person',
      object: { type: 'standard', name: 'contacts' },
      field_mappings: MAPPINGS,
    },
  ],
  connection_sync_config: {
    destination_config: { type: 'postgres', schema: 'crm' },
    standard_objects: [{ object: 'Contact', table: 'people' }],
    custom_objects: [{ object: 'Thing__c' }],
  },
};
const FULL = rest('PUT /customers', put({ customer_id: 'full', connections: [CONNECTION] }));
const READ = [
  FULL,
  graphql(`{ customer(customerId: "full") { applicationId customerId name email connections {
  id applicationId customerId providerId providerName category instanceUrl
  schemaMappingsConfig { commonObjects { object fieldMappings { schemaField mappedField } } standardObjects { object } }
  entityMappings { entityId object { type name } fieldMappings { schemaField mappedField } }
  connectionSyncConfig { destinationConfig { __typename ... on PostgresDestination { schema } }
    standardObjects { object table } customObjects { object table } }
} } }`),
];
const SCHEMA = graphql(
  '{ __schema { types { name enumValues { name } fields(includeDeprecated: true) { name isDeprecated } } } }',
);

const OF_CUSTOMER: Fields = [
  ['application_id', 'applicationId', UUID],
  ['customer_id', 'customerId', 'full'],
  ['name', 'name', 'Row'],
  ['email', 'email', 'row@example.com'],
  ['connections', 'connections', Array.isArray],
];
const OF_CONNECTION: Fields = [
  ['id', 'id', UUID],
  ['application_id', 'applicationId', UUID],
  ['customer_id', 'customerId', 'full'],
  ['provider_id', 'providerId', UUID],
  ['provider_name', 'providerName', /^hubspot$/i],
  ['category', 'category', /^crm$/i],
  ['instance_url', 'instanceUrl', /^https:\/\/app\.hubspot\.com/],
];

export const CUSTOMER_ROWS: readonly Row[] = [
  ...OF_CUSTOMER.flatMap(([wire, name, expected]) => [
    row('2.3', `REST: a customer has ${wire}`, FULL, { status: 200, body: { [wire]: expected } }),
    row('2.3', `GraphQL: a customer has ${name}`, READ, inCustomer({ [name]: expected })),
  ]),
  ...OF_CONNECTION.flatMap(([wire, name, expected]) => [
    row('2.4', `REST: a connection has ${wire}`, FULL, inConnection({ [wire]: expected })),
    row(
      '2.4',
      `GraphQL: a connection has ${name}`,
      READ,
      inCustomer({ connections: [{ [name]: expected }] }),
    ),
  ]),
  row(
    '2.4',
    'REST: schema_mappings_config is returned as it was set',
    FULL,
    inConnection({ schema_mappings_config: is(CONNECTION.schema_mappings_config) }),
  ),
  row(
    '2.4',
    'REST: entity_mappings are returned as they were set',
    FULL,
    inConnection({ entity_mappings: is(CONNECTION.entity_mappings) }),
  ),
  row(
    '2.4',
    'REST: connection_sync_config is returned as it was set',
    FULL,
    inConnection({ connection_sync_config: is(CONNECTION.connection_sync_config) }),
  ),
  row(
    '2.4',
    'GraphQL: schemaMappingsConfig is the same',
    READ,
    inCustomer({
      connections: [
        {
          schemaMappingsConfig: {
            commonObjects: [
              { object: 'contact', fieldMappings: [{ mappedField: 'favorite_color' }] },
            ],
            standardObjects: [{ object: 'contacts' }],
          },
        },
      ],
    }),
  ),
  row(
    '2.4',
    'GraphQL: entityMappings are the same',
    READ,
    inCustomer({
      connections: [
        {
          entityMappings: [{ entityId: 'person', object: { type: 'STANDARD', name: 'contacts' } }],
        },
      ],
    }),
  ),
  row(
    '2.4',
    'GraphQL: connectionSyncConfig is the same',
    READ,
    inCustomer({
      connections: [
        {
          connectionSyncConfig: {
            destinationConfig: { __typename: 'PostgresDestination', schema: 'crm' },
            standardObjects: [{ object: 'Contact', table: 'people' }],
            customObjects: [{ object: 'Thing__c', table: null }],
          },
        },
      ],
    }),
  ),
  ...accepted('schema_mappings_config', [
    ['without lists', {}],
    ['with an object of field_mappings alone', { standard_objects: [{ field_mappings: [] }] }],
    ['with common_objects alone', { common_objects: [] }],
  ]),
  ...accepted('entity_mappings', [
    [
      'that name a standard object by its type alone',
      [{ object: { type: 'standard' }, field_mappings: [] }],
    ],
    [
      'that name a custom object by its type alone',
      [{ object: { type: 'custom' }, field_mappings: [] }],
    ],
    ['that are empty', []],
  ]),
  ...accepted('connection_sync_config', [
    ['to PostgreSQL', { destination_config: { type: 'postgres', schema: 's' } }],
    ['to PostgreSQL without a schema', { destination_config: { type: 'postgres' } }],
    ['to BigQuery', { destination_config: { type: 'bigquery', dataset: 'd' } }],
    ['to BigQuery without a dataset', { destination_config: { type: 'bigquery' } }],
    ['with names in their own case', { standard_objects: [{ object: 'ConTact' }] }],
    ['with a table of its own', { custom_objects: [{ object: 'A__c', table: 'A' }] }],
    ['without anything', {}],
  ]),
  row(
    '2.4',
    'REST: field_mappings are required',
    rest('PUT /customers', withConnection({ schema_mappings_config: { common_objects: [{}] } })),
    { status: 400 },
  ),
  row(
    '2.4',
    'REST: an unknown type of destination is rejected',
    rest(
      'PUT /customers',
      withConnection({ connection_sync_config: { destination_config: { type: 'mysql' } } }),
    ),
    { status: 400 },
  ),
  row(
    '2.4',
    'REST: an unknown type of object is rejected',
    rest(
      'PUT /customers',
      withConnection({ entity_mappings: [{ object: { type: 'other' }, field_mappings: [] }] }),
    ),
    { status: 400 },
  ),
  row('2.4', 'There are 18 provider names', SCHEMA, enums('ProviderName', 18)),
  row(
    '2.4',
    'There are five provider categories',
    SCHEMA,
    enums('Category', wordsOf(category).length),
  ),
  ...PROVIDER_NAMES.map((name) =>
    row(
      '2.4',
      `REST: a customer can be connected to ${name}`,
      rest(
        'PUT /customers',
        put({ customer_id: `c-${name}`, connections: [{ provider_name: name }] }),
      ),
      inConnection({
        provider_name: name,
        category: (one: never) => wordsOf(category).includes(one),
      }),
    ),
  ),
  row('2.4', 'GraphQL: schemaMappingsConfig and entityMappings are deprecated', SCHEMA, {
    body: ({ data }) =>
      fieldsOf(data, 'ConnectedProvider')
        .filter(({ isDeprecated }) => isDeprecated)
        .map(({ name }) => name)
        .sort()
        .join() === 'entityMappings,schemaMappingsConfig',
  }),
  row(
    '2.4',
    'REST: schema_mappings_config and entity_mappings are deprecated',
    rest('GET /openapi.json'),
    {
      body: {
        components: {
          schemas: {
            Connection: {
              properties: {
                schema_mappings_config: { deprecated: true },
                entity_mappings: { deprecated: true },
              },
            },
          },
        },
      },
    },
  ),
];

function put(customer: object): object {
  return { customer_id: 'row', name: 'Row', email: 'row@example.com', ...customer };
}

function withConnection(config: object): object {
  return put({ connections: [{ provider_name: 'outreach', ...config }] });
}

function accepted(field: string, cases: readonly (readonly [string, object])[]): readonly Row[] {
  return cases.map(([what, value]) =>
    row(
      '2.4',
      `REST: ${field} ${what} is accepted and returned`,
      rest('PUT /customers', {
        ...withConnection({ [field]: value }),
        customer_id: `${field} ${what}`,
      }),
      inConnection({ [field]: is(value) }),
    ),
  );
}

function inConnection(expected: object) {
  return { status: 200, body: { connections: [expected] } };
}

function inCustomer(customer: object) {
  return { status: 200, body: { data: { customer } } };
}

/** Exactly equal: no field missing, none added. */
function is(value: object): Expected {
  return (actual: unknown) => JSON.stringify(sorted(actual)) === JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
}

function enums(type: string, count: number) {
  return {
    body: ({ data }: { data: Schema }) =>
      data.__schema.types.find(({ name }) => name === type)?.enumValues?.length === count,
  };
}

function fieldsOf(data: Schema, type: string) {
  return data.__schema.types.find(({ name }) => name === type)?.fields ?? [];
}

type Fields = readonly (readonly [string, string, Expected])[];
interface Schema {
  readonly __schema: {
    readonly types: readonly {
      readonly name: string;
      readonly enumValues: readonly unknown[] | null;
      readonly fields: readonly { readonly name: string; readonly isDeprecated: boolean }[] | null;
    }[];
  };
}
