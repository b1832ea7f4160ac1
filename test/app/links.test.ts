import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';

let crossbook: TestApp;
beforeAll(async () => {
  crossbook = await openApp();
});
afterAll(() => crossbook.close());

const PROVIDERS = [
  ['hubspot', 6],
  ['salesforce', 4],
] as const;

const DEALS = `deals(first: 10) { nodes { remoteId name amount { value currency } status
  pipeline { id label } stage { id label status probability } } }`;
const COMPANIES = 'companies(first: 10) { edges { isPrimary node { remoteId name domain } } }';

describe.each(PROVIDERS)('Links of %s', (provider, mostCalls) => {
  const account = () => crossbook.sandbox[provider].demo;
  const graphql = async (query: string, variables: object = {}) =>
    (await crossbook.execute(query, variables, { 'x-provider-name': provider })) as Json;
  /** The calls to the CRM, after a first operation of this kind: what is hidden, or changes rarely, is known then. */
  const count = async (query: string) => {
    await graphql(query);
    account().resetCalls();
    const { data, errors } = await graphql(query);
    expect(errors).toBeUndefined();
    return { data, calls: account().calls().length };
  };

  test(`a hundred contacts with companies and deals take at most ${mostCalls} calls`, async () => {
    const fields = [COMPANIES, DEALS];
    const [plain, reversed] = [fields, [...fields].reverse()].map(
      (ordered) =>
        `{ searchContacts(filter: { all: true }, first: 100) { nodes { ${ordered.join(' ')} } } }`,
    );
    const found = await count(plain ?? '');
    expect(found.calls).toBeLessThanOrEqual(mostCalls);
    const nodes = found.data.searchContacts.nodes as Json[];
    expect(nodes).toHaveLength(100);
    expect(nodes.filter((one) => one.companies.edges.length > 0).length).toBeGreaterThan(10);
    expect(nodes.filter((one) => one.deals.nodes.length > 0).length).toBeGreaterThan(10);
    const other = await count(reversed ?? '');
    expect([other.calls, other.data]).toEqual([found.calls, found.data]);
    const aliased = `{ searchContacts(filter: { all: true }, first: 100) { nodes {
      one: companies(first: 1) { nodes { name } } two: companies(first: 5) { nodes { domain } } ${DEALS} } } }`;
    expect((await count(aliased)).calls).toBeLessThanOrEqual(mostCalls);
  });

  test('the first operation after a start takes no more calls', async () => {
    const fresh = await openApp();
    try {
      const demo = fresh.sandbox[provider].demo;
      const query = `{ searchContacts(filter: { all: true }, first: 100) { nodes { ${COMPANIES} ${DEALS} } } }`;
      const { errors } = await fresh.execute(query, {}, { 'x-provider-name': provider });
      expect(errors).toBeUndefined();
      expect(demo.calls().length).toBeLessThanOrEqual(mostCalls);
    } finally {
      await fresh.close();
    }
  });

  test('a link can be followed in both directions, and says which one is primary', async () => {
    const { data } = await graphql(
      `{ searchContacts(filter: { email: "ada@example.com" }) { nodes { remoteId companies { totalCount edges { isPrimary node {
        name contacts(first: 100) { edges { isPrimary node { remoteId } } } } } }
        deals { nodes { contacts { nodes { remoteId } } companies { nodes { name } } } } } } }`,
    );
    const [ada] = data.searchContacts.nodes;
    const edges = ada.companies.edges as Json[];
    expect(ada.companies.totalCount).toBe(3);
    expect(edges.filter(({ isPrimary }) => isPrimary)).toHaveLength(1);
    for (const { isPrimary, node } of edges) {
      const back = node.contacts.edges.find((one: Json) => one.node.remoteId === ada.remoteId);
      expect([node.name, back?.isPrimary]).toEqual([node.name, isPrimary]);
    }
    expect(ada.deals.nodes.length).toBeGreaterThan(1);
    for (const deal of ada.deals.nodes)
      expect(deal.contacts.nodes).toContainEqual({ remoteId: ada.remoteId });
  });

  test('pages of links are complete, and their cursors belong to one record and one edge', async () => {
    const page = async (after: string | null, field = 'companies') =>
      graphql(
        `query ($after: String) { searchContacts(filter: { email: "ada@example.com" }) { nodes {
          ${field}(first: 1, after: $after) { nodes { remoteId } pageInfo { hasNextPage endCursor } } } } }`,
        { after },
      );
    const ids: string[] = [];
    let after: string | null = null;
    for (let more = true; more; ) {
      const { data }: Json = await page(after);
      const { nodes, pageInfo } = data.searchContacts.nodes[0].companies;
      ids.push(...nodes.map((one: Json) => one.remoteId));
      after = pageInfo.endCursor;
      more = pageInfo.hasNextPage;
    }
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(3);
    const crossed = await page(after, 'deals');
    expect(crossed.errors[0]).toMatchObject({
      path: ['searchContacts', 'nodes', 0, 'deals'],
      extensions: { code: 'BAD_REQUEST' },
    });
    const tooMany = await graphql(
      '{ searchContacts(filter: { email: "ada@example.com" }) { nodes { companies(first: 101) { nodes { id } } } } }',
    );
    expect(tooMany.errors[0].extensions).toMatchObject({ code: 'BAD_REQUEST' });
    expect(tooMany.errors[0].message).toContain('from 0 to 100');
  });

  test('where only keys are selected, linked records are not read', async () => {
    const query = `{ searchContacts(filter: { all: true }, first: 100) { nodes {
      companies { nodes { __typename id customerId provider remoteId } } } } }`;
    const { data, calls } = await count(query);
    expect(calls).toBe(2);
    const stubs = data.searchContacts.nodes.flatMap((one: Json) => one.companies.nodes) as Json[];
    const { data: read } = await graphql(
      'query ($id: ID!) { node(id: $id) { ... on Company { remoteId name } } }',
      {
        id: stubs[0]?.id,
      },
    );
    expect(read.node).toMatchObject({ remoteId: stubs[0]?.remoteId, name: expect.any(String) });
  });

  test('a deep query is refused before it runs where it would exceed the limits', async () => {
    account().resetCalls();
    const { data, errors } = await graphql(
      `{ searchContacts(filter: { all: true }, first: 100) { nodes { companies(first: 100) { nodes {
        contacts(first: 100) { nodes { deals(first: 100) { nodes { name } } } } } } } } }`,
    );
    expect(data).toBeUndefined();
    expect(errors[0].extensions.code).toBe('BAD_REQUEST');
    expect(errors[0].message).toContain('cost');
    expect(account().calls()).toEqual([]);
  });

  test('what the CRM refuses to show is null with an error of its own, and the rest stands', async () => {
    HIDE[provider](crossbook);
    try {
      const { data, errors } = await graphql(
        '{ searchContacts(filter: { email: "ada@example.com" }) { nodes { firstName companies { nodes { name } } deals { nodes { name } } } } }',
      );
      const [ada] = data.searchContacts.nodes;
      expect(ada).toMatchObject({ firstName: 'Ada', deals: null });
      expect(ada.companies.nodes).toHaveLength(3);
      expect(errors.map((one: Json) => [one.path.at(-1), one.extensions.code])).toEqual([
        ['deals', 'REMOTE_PROVIDER_FORBIDDEN'],
      ]);
    } finally {
      account().clearFaults();
      crossbook.sandbox.salesforce.demo.setQuirks({ hiddenObjects: [] });
    }
  });
});

/** Hides deals from the connected user. */
const HIDE = {
  hubspot({ sandbox }: TestApp) {
    const body = JSON.stringify({
      status: 'error',
      category: 'MISSING_SCOPES',
      message: 'This app hasn’t been granted all required scopes: crm.objects.deals.read',
    });
    const fault = { kind: 'answer', status: 403, body } as const;
    sandbox.hubspot.demo.fail(fault, { operation: 'deals.batchRead' });
  },
  salesforce({ sandbox }: TestApp) {
    sandbox.salesforce.demo.setQuirks({ hiddenObjects: ['Opportunity'] });
  },
};
