import { readFileSync } from 'node:fs';
import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import { createTokenCache } from 'crossbook-client';
import { transform } from 'esbuild';
import type { FormattedExecutionResult } from 'graphql';
import { parse } from 'graphql';
import { createSchema, createYoga } from 'graphql-yoga';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { type ListeningApp, listenApp } from '../../support/listen-app.ts';
import { findSample, runSample } from '../../support/run-sample.ts';
import { openWireServer, type WireServer } from '../../support/wire-server.ts';
import { loadRuntime, type PropagateHeaders } from './load-runtime.ts';

const PAGE = 'docs/federation.md';
const ROUTER: RouterFile = parseYaml(findSample(PAGE, 'yaml', '# router.yaml'));
const SUPERGRAPH: SupergraphFile = parseYaml(findSample(PAGE, 'yaml', '# supergraph.yaml'));
/** A subgraph as a reader would write it: the printed parts, with the enum that the document says to repeat. */
const TICKETS = `
  ${findSample(PAGE, 'graphql', 'tickets: [Ticket!]')}
  ${findSample(PAGE, 'graphql', 'requester: ContactsByEmail').replace('type Ticket', 'extend type Ticket')}
  ${/^enum ProviderName \{[^}]*\}/m.exec(readFileSync('subgraph.graphql', 'utf8'))?.[0]}
  type Query { tickets: [Ticket!]! lost: Ticket }
`;
const QUERY = `{
  tickets { subject contact { firstName } requester { contacts { lastName } } }
  customer { name tickets { subject } }
}`;

let crossbook: ListeningApp;
let tickets: WireServer;
let supergraph: string;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  crossbook = await listenApp();
  const search =
    '{ searchContacts(provider: HUBSPOT, filter: { email: "ada@example.com" }) { nodes { id } } }';
  const { data } = await crossbook.execute(search);
  tickets = await openTickets(data.searchContacts.nodes[0].id);
  supergraph = await compose();
});
afterAll(async () => {
  for (const close of closing) await close();
  await tickets.close();
  await crossbook.close();
});
beforeEach(() => {
  crossbook.requests.length = 0;
});

const END_USERS = [
  { file: 'gateway.config.ts', open: () => openHive('gateway.config.ts') },
  { file: 'router.yaml', open: () => openLikeRouter(ROUTER.headers.subgraphs.crossbook.request) },
];
const BACK_OFFICE = [
  { file: 'gateway.backoffice.ts', open: () => openHive('gateway.backoffice.ts') },
  {
    file: 'router.backoffice.yaml',
    open: () => openLikeRouter(readRules('# router.backoffice.yaml')),
  },
];

describe.each(BACK_OFFICE)('A gateway for a back office with the headers of $file', ({ open }) => {
  test('queries both subgraphs of supergraph.yaml with its own key, and forwards only the customer', async () => {
    const ask = await open();
    const { data, errors } = await ask(QUERY, {
      'x-customer-id': 'demo',
      cookie: 'a=b',
      'x-forwarded-user': 'root',
    });
    expect(errors).toBeUndefined();
    expect(data).toEqual({
      tickets: [
        {
          subject: 'First',
          contact: { firstName: 'Ada' },
          requester: { contacts: [{ lastName: 'Lovelace' }] },
        },
      ],
      customer: { name: 'Demo customer', tickets: [{ subject: 'First' }] },
    });
    expect(crossbook.requests.length).toBeGreaterThan(0);
    for (const { headers } of crossbook.requests) {
      const read = (name: string) => headers.get(name);
      expect(['x-api-key', 'x-customer-id', 'cookie', 'x-forwarded-user'].map(read)).toEqual([
        crossbook.key,
        'demo',
        null,
        null,
      ]);
    }
  });
});

describe.each(END_USERS)('A gateway for end users with the headers of $file', ({ open }) => {
  test('forwards a customer token, and nothing with which a client could choose another customer', async () => {
    const { data } = await crossbook.execute(
      'mutation { issueCustomerToken(input: { customerId: "demo" }) { token } }',
    );
    const ask = await open();
    crossbook.requests.length = 0;
    const headers = {
      authorization: `Bearer ${data.issueCustomerToken.token}`,
      'x-api-key': crossbook.key,
      'x-customer-id': 'other',
    };
    expect(await ask(QUERY, headers)).toMatchObject({
      data: { customer: { name: 'Demo customer' } },
    });
    expect(crossbook.requests.length).toBeGreaterThan(0);
    for (const one of crossbook.requests)
      expect(['x-api-key', 'x-customer-id'].map((name) => one.headers.get(name))).toEqual([
        null,
        null,
      ]);
  });
});

test('crossbook-token.ts issues one token for each customer, which is limited to that customer', async () => {
  const { code } = await transform(findSample(PAGE, 'ts', '// crossbook-token.ts'), {
    loader: 'ts',
  });
  const env = { CROSSBOOK_URL: crossbook.url, CROSSBOOK_API_KEY: crossbook.key };
  const { getCrossbookHeaders } = await runSample<{ getCrossbookHeaders: GetHeaders }>(code, {
    given: { createTokenCache, process: { env } },
    declares: ['getCrossbookHeaders'],
  });
  const [headers, again] = [await getCrossbookHeaders('demo'), await getCrossbookHeaders('demo')];
  expect(again).toEqual(headers);
  expect(crossbook.requests.filter(({ body }) => body.includes('expires_in_seconds'))).toHaveLength(
    1,
  );
  const ask = await openHive('gateway.config.ts');
  expect(await ask('{ customer { name } }', headers)).toEqual({
    data: { customer: { name: 'Demo customer' } },
  });
  const { errors } = await ask('{ customer(customerId: "other") { name } }', headers);
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'FORBIDDEN' });
  await expect(getCrossbookHeaders('nobody')).rejects.toThrow('Crossbook issued no token: 404');
});

test('a reference to a missing contact is seen as the table says: with null fields, or as null with an error', async () => {
  const ask = await openHive('gateway.backoffice.ts');
  const caller = {};
  expect(await ask('{ lost { subject contact { firstName } } }', caller)).toEqual({
    data: { lost: { subject: 'Lost', contact: { firstName: null } } },
  });
  const { data, errors } = await ask('{ lost { subject contact { remoteId } } }', caller);
  expect(data).toEqual({ lost: { subject: 'Lost', contact: null } });
  expect(errors).toMatchObject([{ message: 'Unexpected error.' }]);
});

test('Cosmo’s files have the subgraphs and the headers of the others', () => {
  const graph = parseYaml(findSample(PAGE, 'yaml', '# graph.yaml'));
  const urls = (entries: readonly { name: string; routing_url: string }[]) =>
    entries.map(({ name, routing_url }) => [name, routing_url]);
  const others = Object.entries(SUPERGRAPH.subgraphs).map(([name, one]) => ({ name, ...one }));
  expect(urls(graph.subgraphs)).toEqual(urls(others));
  for (const [cosmo, router] of [
    ['# config.yaml', '# router.yaml'],
    ['# config.backoffice.yaml', '# router.backoffice.yaml'],
  ] as const)
    expect(readCosmoRules(cosmo)).toEqual(readRules(router));
});

test('router.yaml exposes Crossbook’s errors, and supergraph.yaml has the federation version that the subgraph links', () => {
  expect(ROUTER.include_subgraph_errors).toEqual({ subgraphs: { crossbook: true } });
  const [, version] = /federation\/v([\d.]+)"/.exec(readFileSync('subgraph.graphql', 'utf8')) ?? [];
  expect(SUPERGRAPH.federation_version).toBe(`=${version}.0`);
});

/** Like `rover supergraph compose` with this file: one SDL by introspection, the other one from a file. */
async function compose(): Promise<string> {
  const here = { 'http://localhost:4000': crossbook.url, 'http://localhost:4001': tickets.origin };
  const toHere = (url: string) =>
    Object.entries(here).reduce((text, [printed, origin]) => text.replace(printed, origin), url);
  const services = await Promise.all(
    Object.entries(SUPERGRAPH.subgraphs).map(async ([name, { routing_url, schema }]) => ({
      name,
      url: toHere(routing_url),
      typeDefs: parse('file' in schema ? TICKETS : await fetchSdl(toHere(schema.subgraph_url))),
    })),
  );
  const result = composeServices(services);
  if (compositionHasErrors(result))
    throw new Error(result.errors.map(({ message }) => message).join('\n'));
  return result.supergraphSdl;
}

async function fetchSdl(url: string): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ _service { sdl } }' }),
  });
  const { data } = (await response.json()) as { data: { _service: { sdl: string } } };
  return data._service.sdl;
}

/** Hive Gateway with a printed configuration. */
async function openHive(file: string) {
  const env = { CROSSBOOK_API_KEY: crossbook.key };
  const { gatewayConfig } = await runSample<{ gatewayConfig: HiveConfig }>(
    findSample(PAGE, 'ts', `// ${file}`),
    {
      given: { defineConfig: (config: object) => config, process: { env } },
      declares: ['gatewayConfig'],
    },
  );
  expect(gatewayConfig.supergraph).toBe('./supergraph.graphql');
  return openGateway(gatewayConfig.propagateHeaders);
}

/** The router’s program is not installed: its header rules are applied by another gateway. */
function openLikeRouter(rules: readonly RouterRule[]) {
  return openGateway({
    fromClientToSubgraphs({ request, subgraphName }) {
      if (subgraphName !== 'crossbook') return undefined;
      const sent = rules.map((rule) =>
        'insert' in rule
          ? [
              rule.insert.name,
              rule.insert.value.replace(/\$\{env\.CROSSBOOK_API_KEY\}/, crossbook.key),
            ]
          : [rule.propagate.named, request.headers.get(rule.propagate.named)],
      );
      return Object.fromEntries(sent);
    },
  });
}

function readRules(file: string): readonly RouterRule[] {
  const { headers } = parseYaml(findSample(PAGE, 'yaml', file)) as Pick<RouterFile, 'headers'>;
  return headers.subgraphs.crossbook.request;
}

/** Cosmo Router's rules, written as those of Apollo Router. */
function readCosmoRules(file: string): readonly object[] {
  const { headers } = parseYaml(findSample(PAGE, 'yaml', file));
  const rules: readonly CosmoRule[] = headers.subgraphs.crossbook.request;
  return rules.map((rule) =>
    rule.op === 'set'
      ? { insert: { name: rule.name, value: rule.value.replace('${', '${env.') } }
      : { propagate: { named: rule.named } },
  );
}

async function openGateway(propagateHeaders: HiveConfig['propagateHeaders']) {
  const { createGatewayRuntime, buildHTTPExecutor } = await loadRuntime();
  const gateway = createGatewayRuntime({
    supergraph,
    propagateHeaders,
    logging: false,
    transports: {
      http: {
        getSubgraphExecutor: ({ transportEntry, fetch }) =>
          buildHTTPExecutor({ endpoint: transportEntry.location, fetch }),
      },
    },
  });
  const server = await openWireServer(gateway);
  closing.push(server.close, () => gateway[Symbol.asyncDispose]());
  return async (query: string, headers: Record<string, string>) => {
    const response = await fetch(`${server.origin}/graphql`, {
      method: 'POST',
      body: JSON.stringify({ query }),
      headers: { 'content-type': 'application/json', ...headers },
    });
    return (await response.json()) as FormattedExecutionResult;
  };
}

function openTickets(contactId: string): Promise<WireServer> {
  const ticket = {
    subject: 'First',
    contact: { id: contactId },
    requester: { customerId: 'demo', provider: 'HUBSPOT', email: 'ada@example.com' },
  };
  const schema = createSchema<object>({
    typeDefs: `${TICKETS}
      directive @link(url: String!, import: [String]) repeatable on SCHEMA
      directive @key(fields: String!, resolvable: Boolean) repeatable on OBJECT
      scalar _Any
      union _Entity = Customer
      extend type Query { _entities(representations: [_Any!]!): [_Entity]! }`,
    resolvers: {
      Query: {
        tickets: () => [ticket],
        lost: () => ({ subject: 'Lost', contact: { id: 'unknown' } }),
        _entities: (_root, { representations }) => representations,
      },
      Customer: { tickets: () => [ticket] },
    },
  });
  return openWireServer(
    createYoga<object>({ schema, logging: false, landingPage: false, graphiql: false }),
  );
}

type GetHeaders = (customerId: string) => Promise<{ readonly authorization: string }>;

interface HiveConfig {
  readonly supergraph: string;
  readonly propagateHeaders: PropagateHeaders;
}

type RouterRule =
  | { readonly propagate: { readonly named: string } }
  | { readonly insert: { readonly name: string; readonly value: string } };

type CosmoRule =
  | { readonly op: 'set'; readonly name: string; readonly value: string }
  | { readonly op: 'propagate'; readonly named: string };

interface RouterFile {
  readonly headers: {
    readonly subgraphs: { readonly crossbook: { readonly request: readonly RouterRule[] } };
  };
  readonly include_subgraph_errors: object;
}

interface SupergraphFile {
  readonly federation_version: string;
  readonly subgraphs: Readonly<
    Record<
      string,
      {
        readonly routing_url: string;
        readonly schema: { readonly subgraph_url: string } | { readonly file: string };
      }
    >
  >;
}
