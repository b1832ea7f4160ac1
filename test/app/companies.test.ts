import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { toRestRecord } from './to-rest-record.ts';

const COMPANY = `remoteId name domain website phoneNumbers { phoneNumber phoneNumberType }
  addresses { addressType street1 street2 city state postalCode country } industry employeeCount
  annualRevenue { value currency } ownerId parentId lifecycleStage createdAt updatedAt lastModifiedAt isDeleted`;
const LIST = `query ($filter: CompanyFilter!, $first: Int, $after: String) {
  searchCompanies(filter: $filter, first: $first, after: $after) {
    nodes { id ${COMPANY} } pageInfo { hasNextPage endCursor } totalCount
  }
}`;

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

describe.each(['hubspot', 'salesforce'])('Companies of %s', (provider) => {
  const graphql = async (query: string, variables: object = {}) =>
    (await crossbook.execute(query, variables, { 'x-provider-name': provider })) as Json;

  test('are the same in GraphQL and in REST, page by page', async () => {
    const found: Json[] = [];
    let after: string | null = null;
    for (let page = 0; page < 3; page += 1) {
      const { data }: Json = await graphql(LIST, { filter: { all: true }, first: 20, after });
      found.push(...data.searchCompanies.nodes);
      after = data.searchCompanies.pageInfo.endCursor;
    }
    const { body } = await crossbook.rest(
      'POST',
      '/companies/_search?page_size=60',
      { filter: { all: true } },
      { 'x-provider-name': provider },
    );
    expect(found.map(({ id: _, ...company }) => toRestRecord(company))).toEqual(body.records);
    expect(new Set(found.map(({ remoteId }) => remoteId)).size).toBe(60);
  });

  test('are read by id in every way', async () => {
    const { data } = await graphql(LIST, { filter: { all: true }, first: 1 });
    const [{ id, ...company }] = data.searchCompanies.nodes;
    const node = await graphql(
      `query ($id: ID!) { node(id: $id) { __typename ... on Company { ${COMPANY} } } }`,
      { id },
    );
    expect(node.data.node).toEqual({ __typename: 'Company', ...company });
    const { remoteId } = company;
    const reference = {
      __typename: 'Company',
      customerId: 'demo',
      provider: provider.toUpperCase(),
      remoteId,
    };
    const entities = await graphql(
      'query ($of: [_Any!]!) { _entities(representations: $of) { ... on Company { remoteId name } } }',
      { of: [reference, { __typename: 'Company', id }, { ...reference, remoteId: '1' }] },
    );
    const { name } = company;
    expect(entities.errors).toBeUndefined();
    expect(entities.data._entities).toEqual([{ remoteId, name }, { remoteId, name }, null]);
    const { body } = await crossbook.rest('GET', `/companies/${remoteId}`, undefined, {
      'x-provider-name': provider,
    });
    expect(body).toEqual(toRestRecord(company));
    const missing = await crossbook.rest('GET', '/companies/1', undefined, {
      'x-provider-name': provider,
    });
    expect([missing.status, missing.body.errors[0].code]).toEqual([404, 'NOT_FOUND']);
  });

  test('share no cursor with contacts of the same filter', async () => {
    const both = await graphql(
      '{ c: searchContacts(filter: { all: true }, first: 1) { pageInfo { endCursor } } d: searchCompanies(filter: { all: true }, first: 1) { pageInfo { endCursor } } }',
    );
    const ofContacts = both.data.c.pageInfo.endCursor;
    const ofCompanies = both.data.d.pageInfo.endCursor;
    const crossed = await graphql(LIST, { filter: { all: true }, first: 1, after: ofContacts });
    expect(crossed.errors[0].message).toContain('Invalid cursor');
    const query =
      'query ($after: String) { searchContacts(filter: { all: true }, first: 1, after: $after) { totalCount } }';
    expect((await graphql(query, { after: ofCompanies })).errors[0].message).toContain(
      'Invalid cursor',
    );
  });
});

test('companies of a provider without an adapter are 501', async () => {
  const answer = (await crossbook.execute(
    LIST,
    { filter: { all: true } },
    { 'x-provider-name': 'capsule' },
  )) as Json;
  expect(answer.errors[0].extensions.code).toBe('NOT_IMPLEMENTED');
});
