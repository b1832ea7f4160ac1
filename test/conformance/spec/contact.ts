import { LIFECYCLE_STAGES } from '../../../src/domain/records/contact.ts';
import { type Expected, graphql, type Row, rest, row } from '../row.ts';

const ADA = rest('POST /contacts/_search', { filter: { email: 'ada@example.com' } });
const RAW = rest('POST /contacts/_search?include_raw_data=true', {
  filter: { email: 'ada@example.com' },
});
const NODE = graphql(`{ searchContacts(filter: { email: "ada@example.com" }) { nodes {
  remoteId accountId ownerId firstName lastName lifecycleStage lastActivityAt createdAt updatedAt lastModifiedAt isDeleted rawData
  addresses { addressType street1 street2 city state postalCode country }
  emailAddresses { emailAddress emailAddressType } phoneNumbers { phoneNumber phoneNumberType }
} totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`);
const TYPES = graphql('{ __schema { types { name enumValues { name } } } }');
const OPENAPI = rest('GET /openapi.json');

const ID = /^\d+$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const LIST = (value: unknown) => Array.isArray(value) && value.length > 0;

/** REST field, GraphQL field, description, and Ada's value. */
const FIELDS: readonly (readonly [string, string, string, Expected])[] = [
  ['id', 'remoteId', 'the id in the provider', ID],
  [
    'account_id',
    'accountId',
    'the id of the account, as text',
    (value) => ID.test(value) && isText(value),
  ],
  [
    'owner_id',
    'ownerId',
    'the id of the owner, as text',
    (value) => ID.test(value) && isText(value),
  ],
  ['first_name', 'firstName', 'text', 'Ada'],
  ['last_name', 'lastName', 'text', 'Lovelace'],
  ['addresses', 'addresses', 'a list', LIST],
  ['email_addresses', 'emailAddresses', 'a list', LIST],
  ['phone_numbers', 'phoneNumbers', 'a list', LIST],
  ['lifecycle_stage', 'lifecycleStage', 'one of eight', /^customer$/i],
  ['last_activity_at', 'lastActivityAt', 'a time', TIME],
  ['created_at', 'createdAt', 'a time', TIME],
  ['updated_at', 'updatedAt', 'a time', TIME],
  ['last_modified_at', 'lastModifiedAt', 'a time', TIME],
  ['is_deleted', 'isDeleted', 'true or false', false],
];

const LISTS: readonly (readonly [
  string,
  string,
  readonly (readonly [string, string, Expected])[],
])[] = [
  [
    'addresses',
    'addresses',
    [
      ['address_type', 'addressType', /^primary$/i],
      ['street_1', 'street1', '12 St James’s Square'],
      ['street_2', 'street2', 'Second floor'],
      ['city', 'city', 'London'],
      ['state', 'state', 'England'],
      ['postal_code', 'postalCode', 'SW1Y 4JH'],
      ['country', 'country', 'United Kingdom'],
    ],
  ],
  [
    'email_addresses',
    'emailAddresses',
    [
      ['email_address', 'emailAddress', 'ada@example.com'],
      ['email_address_type', 'emailAddressType', /^primary$/i],
    ],
  ],
  [
    'phone_numbers',
    'phoneNumbers',
    [
      ['phone_number', 'phoneNumber', /^\+44/],
      ['phone_number_type', 'phoneNumberType', /^primary$/i],
    ],
  ],
];

const ENUMS: readonly (readonly [string, string, readonly string[]])[] = [
  ['lifecycle_stage', 'LifecycleStage', LIFECYCLE_STAGES],
  ['address_type', 'AddressType', ['primary', 'mailing', 'other', 'billing', 'shipping']],
  ['email_address_type', 'EmailAddressType', ['primary', 'work', 'other']],
  ['phone_number_type', 'PhoneNumberType', ['primary', 'mobile', 'fax', 'other']],
];

export const CONTACT_ROWS: readonly Row[] = [
  ...FIELDS.flatMap(([wire, name, what, expected]) => [
    row('2.1', `REST: a contact has ${wire}, ${what}`, ADA, inRecord({ [wire]: expected })),
    row('2.1', `GraphQL: a contact has ${name}, ${what}`, NODE, inNode({ [name]: expected })),
  ]),
  row(
    '2.1',
    'REST: raw_data is an object, present with include_raw_data=true',
    RAW,
    inRecord({ raw_data: isObject }),
  ),
  row('2.1', 'REST: raw_data is absent by default', ADA, inRecord({ raw_data: undefined })),
  row(
    '2.1',
    'GraphQL: rawData is an object, present where it is selected',
    NODE,
    inNode({ rawData: isObject }),
  ),
  ...LISTS.flatMap(([wire, name, fields]) =>
    fields.flatMap(([wireField, field, expected]) => [
      row(
        '2.1',
        `REST: each of ${wire} has ${wireField}`,
        ADA,
        inRecord({ [wire]: first(wireField, expected) }),
      ),
      row(
        '2.1',
        `GraphQL: each of ${name} has ${field}`,
        NODE,
        inNode({ [name]: first(field, expected) }),
      ),
    ]),
  ),
  ...ENUMS.flatMap(([wire, type, values]) => [
    row('2.1', `REST: ${wire} is one of ${values.length} values`, OPENAPI, {
      body: (document) => listsOf(document, wire).every((list) => isSame(list, values)),
    }),
    row('2.1', `GraphQL: ${type} has the same ${values.length} values in upper case`, TYPES, {
      body: ({ data }) =>
        isSame(
          namesOf(data, type),
          values.map((value) => value.toUpperCase()),
        ),
    }),
  ]),
  row('2.2', 'REST: pagination.next is null on the last page', ADA, inPagination({ next: null })),
  row(
    '2.2',
    'REST: pagination.previous is null on the first page',
    ADA,
    inPagination({ previous: null }),
  ),
  row('2.2', 'REST: total_count is the number of results', ADA, inPagination({ total_count: 1 })),
  row('2.2', 'GraphQL: totalCount and pageInfo contain the same as REST', NODE, {
    body: {
      data: {
        searchContacts: { totalCount: 1, pageInfo: { hasNextPage: false, hasPreviousPage: false } },
      },
    },
  }),
  row(
    '2.2',
    'REST: pagination.next is an opaque string where there is a next page',
    rest('POST /contacts/_search?page_size=2', { filter: { email_domain: 'bigco.example' } }),
    inPagination({ next: isText, previous: null, total_count: (count: number) => count > 2 }),
  ),
];

function inRecord(expected: object) {
  return { status: 200, body: { records: [expected] } };
}

function inNode(expected: object) {
  return { status: 200, body: { data: { searchContacts: { nodes: [expected] } } } };
}

function inPagination(pagination: object) {
  return { status: 200, body: { pagination } };
}

function first(field: string, expected: Expected): Expected {
  return ([entry]: readonly Record<string, unknown>[]) =>
    expected instanceof RegExp
      ? expected.test(String(entry?.[field]))
      : entry?.[field] === expected;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length > 0 && [...some].sort().join() === [...others].sort().join();
}

/** Every enum of a property with that name, anywhere in the document. */
function listsOf(document: unknown, property: string): readonly (readonly unknown[])[] {
  if (typeof document !== 'object' || document === null) return [];
  return Object.entries(document).flatMap(([name, value]) =>
    name === property && Array.isArray(value?.enum) ? [value.enum] : listsOf(value, property),
  );
}

function namesOf(data: { __schema: { types: Type[] } }, type: string): readonly string[] {
  const found = data.__schema.types.find(({ name }) => name === type);
  return (found?.enumValues ?? []).map(({ name }) => name);
}

interface Type {
  readonly name: string;
  readonly enumValues: readonly { readonly name: string }[] | null;
}
