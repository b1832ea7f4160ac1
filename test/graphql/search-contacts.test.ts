import { expect, test } from 'vitest';
import { CrossbookError } from '../../src/domain/errors.ts';
import { createTestServer, DEMO } from './test-server.ts';

test('a contact has every field of the common shape', async () => {
  const { execute } = await createTestServer();
  const { data, errors } = await execute(/* GraphQL */ `
    {
      searchContacts(filter: { email: " ADA@example.com " }) {
        totalCount
        fetchedAt
        nodes {
          remoteId provider accountId ownerId firstName lastName lifecycleStage
          addresses { addressType street1 street2 city state postalCode country }
          emailAddresses { emailAddress emailAddressType }
          phoneNumbers { phoneNumber phoneNumberType }
          lastActivityAt createdAt updatedAt lastModifiedAt isDeleted rawData
        }
      }
    }
  `);
  expect(errors).toBeUndefined();
  expect(data.searchContacts).toMatchObject({
    totalCount: 1,
    fetchedAt: '2025-01-01T00:00:00.000Z',
  });
  expect(data.searchContacts.nodes[0]).toEqual({
    remoteId: '1',
    provider: 'HUBSPOT',
    accountId: 'account-1',
    ownerId: null,
    firstName: 'Ada',
    lastName: 'Lovelace',
    lifecycleStage: 'SUBSCRIBER',
    addresses: [
      {
        addressType: 'MAILING',
        street1: '1 St James’s Square',
        street2: null,
        city: 'London',
        state: null,
        postalCode: null,
        country: 'GB',
      },
    ],
    emailAddresses: [{ emailAddress: 'ada@example.com', emailAddressType: 'PRIMARY' }],
    phoneNumbers: [{ phoneNumber: '+44 20 0000 0000', phoneNumberType: 'MOBILE' }],
    lastActivityAt: null,
    createdAt: '2024-01-01T00:00:00.000Z',
    updatedAt: '2024-02-01T00:00:00.000Z',
    lastModifiedAt: '2024-02-01T00:00:00.000Z',
    isDeleted: false,
    rawData: { id: '1', properties: { email: 'ada@example.com' } },
  });
});

test('a CRM that is down, or cannot be searched, makes its field null, with an error that gives the reason', async () => {
  const { execute, faults } = await createTestServer();
  const origin = 'remote-provider';
  faults.set(
    'salesforce',
    new CrossbookError('REMOTE_PROVIDER_UNAVAILABLE', 'Salesforce is down.', { origin }),
  );
  const { data, errors } = await execute(/* GraphQL */ `
    {
      hubspot: searchContacts(provider: HUBSPOT, filter: { email: "ada@example.com" }) { totalCount }
      salesforce: searchContacts(provider: SALESFORCE, filter: { email: "ada@example.com" }) { totalCount }
      zendesk: searchContacts(provider: ZENDESK_SELL, filter: { email: "ada@example.com" }) { totalCount }
    }
  `);
  expect(data).toEqual({ hubspot: { totalCount: 1 }, salesforce: null, zendesk: null });
  const byPath = new Map(errors?.map(({ path, extensions }) => [path?.join('.'), extensions]));
  expect(byPath.get('salesforce')).toMatchObject({
    code: 'REMOTE_PROVIDER_UNAVAILABLE',
    status: '499',
    meta: { origin: 'remote-provider', application_name: 'Demo', retryable: true },
  });
  expect(byPath.get('zendesk')).toMatchObject({ code: 'NOT_IMPLEMENTED', status: '501' });
});

test('a hundred aliased look-ups take one call to the CRM', async () => {
  const { execute, calls } = await createTestServer();
  const aliases = Array.from(
    { length: 100 },
    (_, index) =>
      `c${index}: searchContacts(filter: { email: "person${index + 2}@example.com" }) { totalCount }`,
  );
  const { data, errors } = await execute(`{ ${aliases.join('\n')} }`);
  expect(errors).toBeUndefined();
  expect(Object.keys(data)).toHaveLength(100);
  expect(calls.map(({ method, keys }) => [method, keys.length])).toEqual([['findByEmails', 100]]);
});

test('raw data is requested from the CRM only if it is selected and not skipped', async () => {
  const { execute, calls } = await createTestServer();
  const query = /* GraphQL */ `
    query ($raw: Boolean!) {
      searchContacts(filter: { email: "ada@example.com" }) { edges { node { ...Raw } } }
    }
    fragment Raw on Contact { shown: rawData @include(if: $raw) id }
  `;
  await execute(query, { raw: false });
  await execute(query, { raw: true });
  expect(calls.map(({ selection }) => selection?.rawData)).toEqual([false, true]);
});

test('only the selected fields are requested from the CRM, in one call for the whole operation', async () => {
  const { execute, calls } = await createTestServer();
  const { data } = await execute(/* GraphQL */ `
    query ($no: Boolean! = false) {
      one: searchContacts(filter: { email: "ada@example.com" }) {
        nodes { first: firstName ...More }
        edges { node { lifecycleStage @include(if: $no) } }
      }
      other: searchContacts(filter: { email: "ada@example.com" }) { nodes { id ownerId createdAt } }
    }
    fragment More on Contact { emailAddresses { emailAddress } }
  `);
  expect(calls.map(({ keys, selection }) => [keys, selection])).toEqual([
    [
      ['ada@example.com'],
      { rawData: false, fields: new Set(['firstName', 'emailAddresses', 'ownerId', 'createdAt']) },
    ],
  ]);
  expect(data.one.nodes[0]).toMatchObject({ first: 'Ada' });
  expect(data.other.nodes[0]).toMatchObject({ createdAt: '2024-01-01T00:00:00.000Z' });
});

test('a list is counted only if its count is selected', async () => {
  const { execute, calls } = await createTestServer();
  await execute(
    '{ searchContacts(filter: { emailDomain: "example.com" }, first: 2) { nodes { id } } }',
  );
  expect(calls.map(({ method }) => method)).toEqual(['readList']);
  const { data } = await execute(
    '{ searchContacts(filter: { emailDomain: "example.com" }, first: 2) { totalCount } }',
  );
  expect(data.searchContacts.totalCount).toBe(30);
});

test('associations of all contacts of a page are fetched together, and not when the cache is read', async () => {
  const { execute, calls } = await createTestServer();
  const query = /* GraphQL */ `
    query ($cached: Boolean) {
      searchContacts(filter: { emailDomain: "example.com" }, first: 3, readFromCache: $cached) {
        nodes { associations(to: [COMPANY]) { object remoteId } }
      }
    }
  `;
  const live = await execute(query, { cached: false });
  expect(live.data.searchContacts.nodes[0].associations).toEqual([
    { object: 'COMPANY', remoteId: 'company-of-1' },
  ]);
  expect(calls.filter(({ method }) => method === 'findAssociations')).toHaveLength(1);
  const cached = await execute(query, { cached: true });
  expect(cached.errors).toBeUndefined();
  expect(cached.data.searchContacts.nodes[0].associations).toBeNull();
});

test('arguments take precedence over headers, and missing headers are named', async () => {
  const { execute } = await createTestServer();
  const query =
    '{ searchContacts(provider: SALESFORCE, filter: { email: "ada@example.com" }) { nodes { provider } } }';
  expect((await execute(query)).data.searchContacts.nodes).toEqual([{ provider: 'SALESFORCE' }]);
  const { errors } = await execute(query, {}, { ...DEMO, 'x-customer-id': '' });
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'BAD_REQUEST',
    detail: expect.stringContaining('x-customer-id'),
  });
});

test('all searches of a request, also of a batch, share one read of a cached page and leave it as it is', async () => {
  const { execute, post, tenant } = await createTestServer();
  const { contactCache } = tenant;
  const read = contactCache.read.bind(contactCache);
  const keys: string[] = [];
  contactCache.read = (connectionId, filterKey) => {
    keys.push(filterKey);
    return read(connectionId, filterKey);
  };
  const search = (selection: string, first = 30) =>
    `searchContacts(filter: { emailDomain: "example.com" }, first: ${first}, readFromCache: true) { ${selection} }`;
  // The first one stores the page.
  const { data } = await execute(`{ ${search('totalCount nodes { firstName }')} }`);
  const { totalCount, nodes } = data.searchContacts;
  expect(nodes.length).toBeGreaterThan(20);
  keys.length = 0;

  const aliases = Array.from({ length: 20 }, (_, index) =>
    [
      `a${index}: ${search('totalCount nodes { firstName }')}`,
      `b${index}: ${search('totalCount nodes { firstName associations(to: [DEAL]) { remoteId } }')}`,
    ].join(' '),
  );
  const operation = { query: `{ ${aliases.join(' ')} }` };
  const response = await post([operation, operation, operation], DEMO);
  const results = (await response.json()) as readonly { data: Record<string, unknown> }[];
  const marked = nodes.map((node: object) => ({ ...node, associations: null }));
  for (const result of results) {
    for (const [name, page] of Object.entries(result.data))
      expect(page).toEqual({ totalCount, nodes: name.startsWith('a') ? nodes : marked });
  }
  expect(results).toHaveLength(3);
  expect(keys).toHaveLength(1);
});
