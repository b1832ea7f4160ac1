import {
  type ConcreteRequest,
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  getSingularSelector,
  Network,
  type ReaderFragment,
  RecordSource,
  Store,
  type Variables,
} from 'relay-runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ListeningApp, listenApp } from '../../support/listen-app.ts';
import { type CompiledRelay, compileRelay } from './compile-relay.ts';
import { RELAY_APP } from './relay-app.ts';

let app: CompiledRelay;
let crossbook: ListeningApp;
let environment: Environment;

beforeAll(async () => {
  app = compileRelay(RELAY_APP);
  // As in production: only compiled operations are accepted.
  crossbook = await listenApp({ operations: app.manifest });
  environment = new Environment({
    network: Network.create(send),
    store: new Store(new RecordSource()),
  });
});
afterAll(async () => {
  await crossbook.close();
  app.remove();
});

test('Relay’s compiler accepts the schema: connections, refetchable fragments and both mutations', () => {
  expect(app.output).not.toMatch(/error|warn/i);
  expect(app.status).toBe(0);
  expect(app.load<ReaderFragment>('appContactList_query').metadata).toMatchObject({
    connection: [{ direction: 'forward', path: ['searchContacts'] }],
  });
  expect(app.load<ReaderFragment>('appContactsFromTheEnd_query').metadata).toMatchObject({
    connection: [{ direction: 'backward', path: ['searchContacts'] }],
  });
  expect(app.load<ConcreteRequest>('appCustomerRefetchQuery').operation.selections).toMatchObject([
    { kind: 'LinkedField', name: 'node' },
  ]);
});

test('Relay’s compiler rejects an invalid document', () => {
  const broken = compileRelay(RELAY_APP.replace('after: $cursor', ''));
  expect(broken.status).not.toBe(0);
  expect(broken.output).toContain('Compilation failed');
  broken.remove();
});

test('Relay pages through a list by persisted hashes only, and its store merges the pages', async () => {
  const domain = 'example.com';
  const first = app.load<ConcreteRequest>('appContactsQuery');
  await ask('appContactsQuery', { domain, count: 4 });
  const lengths = [listed(first, { domain, count: 4 }).edges.length];
  for (let page = 0; page < 2; page += 1) {
    const { pageInfo } = listed(first, { domain, count: 4 });
    await ask('appContactListPaginationQuery', { domain, count: 4, cursor: pageInfo.endCursor });
    lengths.push(listed(first, { domain, count: 4 }).edges.length);
  }
  expect(lengths).toEqual([4, 8, 10]);
  const list = listed(first, { domain, count: 4 });
  expect(list.totalCount).toBe(10);
  expect(list.pageInfo.hasNextPage).toBe(false);
  expect(new Set(list.edges.map(({ cursor }) => cursor)).size).toBe(10);
  for (const { body } of crossbook.requests) expect(await body).not.toContain('query ');
});

test('Relay pages the search of one connection, because a connection is a Node', async () => {
  const name = 'appConnectionPaginationQuery';
  const { id } = (await crossbook.rest('GET', '/customers/demo/connections/hubspot')).body;
  await ask(name, { id, count: 4 });
  const lengths = [connected(id, 4).edges.length];
  await ask(name, { id, count: 4, cursor: connected(id, 4).pageInfo.endCursor });
  lengths.push(connected(id, 4).edges.length);
  expect(lengths).toEqual([4, 8]);
  expect(app.load<ReaderFragment>('appConnection_connection').metadata).toMatchObject({
    refetch: { identifierInfo: { identifierField: 'id' }, fragmentPathInResult: ['node'] },
  });
});

test('Relay refetches a record by its id', async () => {
  const first = app.load<ConcreteRequest>('appContactsQuery');
  await ask('appContactsQuery', { domain: 'example.com', count: 4 });
  const id = listed(first, { domain: 'example.com', count: 4 }).edges[0]?.node.__id ?? '';
  crossbook.requests.length = 0;
  expect(await ask('appContactRowRefetchQuery', { id })).toMatchObject({ node: { __id: id } });
  expect(crossbook.requests).toHaveLength(1);
  expect(environment.getStore().getSource().get(id)).toMatchObject({
    firstName: expect.any(String),
  });
});

test('both mutations run in Relay, and a second upsert updates the customer in its store', async () => {
  const input = { customerId: 'relay', name: 'Relay', email: 'r@relay.example' };
  expect(await mutate('appUpsertCustomerMutation', { input })).toMatchObject({
    upsertCustomer: { created: true, customer: { version: 1 } },
  });
  const again = await mutate('appUpsertCustomerMutation', { input: { ...input, name: 'Relay 2' } });
  const { id } = (again as { upsertCustomer: { customer: { id: string } } }).upsertCustomer
    .customer;
  expect(environment.getStore().getSource().get(id)).toMatchObject({ name: 'Relay 2', version: 2 });
  expect(
    await mutate('appIssueCustomerTokenMutation', { input: { customerId: 'relay' } }),
  ).toMatchObject({
    issueCustomerToken: { token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) },
  });
});

async function send({ id }: { readonly id: string | null | undefined }, variables: Variables) {
  const response = await fetch(`${crossbook.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': crossbook.key,
      'x-customer-id': 'demo',
    },
    body: JSON.stringify({ documentId: `sha256:${id}`, variables }),
  });
  return response.json();
}

function ask(name: string, variables: Variables): Promise<unknown> {
  return fetchQuery(environment, app.load<ConcreteRequest>(name), variables).toPromise();
}

function mutate(name: string, variables: Variables): Promise<unknown> {
  const mutation = app.load<ConcreteRequest>(name);
  return new Promise((resolve, reject) => {
    commitMutation(environment, { mutation, variables, onCompleted: resolve, onError: reject });
  });
}

/** The list, as a component with the fragment would see it. */
function listed(query: ConcreteRequest, variables: Variables): List {
  const operation = createOperationDescriptor(query, variables);
  const fragment = app.load<ReaderFragment>('appContactList_query');
  const root = environment.lookup(operation.fragment).data;
  const selector = getSingularSelector(fragment, root);
  if (!selector) throw new Error('The query does not spread the fragment.');
  return (environment.lookup(selector).data as unknown as { searchContacts: List }).searchContacts;
}

/** The same of a connection. */
function connected(id: string, count: number): List {
  const query = app.load<ConcreteRequest>('appConnectionPaginationQuery');
  const { fragment } = createOperationDescriptor(query, { id, count });
  const { node } = environment.lookup(fragment).data as unknown as { node: unknown };
  const selector = getSingularSelector(app.load<ReaderFragment>('appConnection_connection'), node);
  if (!selector) throw new Error('The query does not spread the fragment.');
  return (environment.lookup(selector).data as unknown as { searchContacts: List }).searchContacts;
}

interface List {
  readonly totalCount: number;
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly __id: string } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}
