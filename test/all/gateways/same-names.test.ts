import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { composeServices, compositionHasErrors } from '@theguild/federation-composition';
import type { FormattedExecutionResult } from 'graphql';
import { parse } from 'graphql';
import { createSchema, createYoga } from 'graphql-yoga';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { printSubgraphSchema } from '../../../src/graphql/print-schema.ts';
import { type ListeningApp, listenApp } from '../../support/listen-app.ts';
import { findSample } from '../../support/run-sample.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { openWireServer, type WireServer } from '../../support/wire-server.ts';
import { loadRuntime } from './load-runtime.ts';

/** A subgraph as printed, whose `Customer`, `Contact` and `Query.customer` are its own. */
const ACCOUNTS = findSample('docs/federation.md', 'graphql', 'plan: String!');
const CHECK = findSample('docs/federation.md', 'sh', 'uniq -d');
const PREFIXES = { typePrefix: 'Crm_', rootFieldPrefix: 'crm_' };
/** The same without the root field that stops the composition. */
const UNNOTICED = ACCOUNTS.replace('customer(id: ID!)', 'account(id: ID!)');

let accounts: WireServer;
const folder = makeTemporaryFolder();
beforeAll(async () => {
  accounts = await openAccounts();
});
afterAll(async () => {
  await accounts.close();
  rmSync(folder, { recursive: true, force: true });
});

test('the example of a gateway has the printed subgraph', () => {
  expect(readFileSync('examples/gateway/accounts.graphql', 'utf8')).toBe(ACCOUNTS);
});

test('without a prefix, another subgraph’s types merge without an error, and its root field stops the composition', () => {
  const merged = compose(printSubgraphSchema(), UNNOTICED);
  expect(merged).toMatch(/type Customer\s[^{]*ACCOUNTS[^{]*CROSSBOOK/);
  expect(() => compose(printSubgraphSchema(), ACCOUNTS)).toThrow(
    'Non-shareable field "Query.customer"',
  );
});

test('the printed check names the types that merge and the root field in both, and none with the settings that the guide names', () => {
  const names = ['Contact', 'Customer', 'Query', 'Query.customer'];
  expect(check(printSubgraphSchema())).toEqual(names);
  expect(check(printSubgraphSchema(PREFIXES))).toEqual(['Query']);
});

test('merged customers cannot be read through a gateway; with both prefixes each subgraph has its own', async () => {
  const plain = await listenApp();
  const merged = await ask(plain, compose(printSubgraphSchema(), UNNOTICED, plain.url), {
    query: '{ account(id: "42") { plan name } }',
  });
  expect(merged).toMatchObject({ data: { account: null }, errors: [{}] });
  await plain.close();

  const crossbook = await listenApp(PREFIXES);
  const separate = await ask(
    crossbook,
    compose(await readServedSdl(crossbook), ACCOUNTS, crossbook.url),
    { query: '{ customer(id: "42") { plan } crm_customer(customerId: "demo") { name } }' },
  );
  expect(separate).toEqual({
    data: { customer: { plan: 'gold' }, crm_customer: { name: 'Demo customer' } },
  });
  await crossbook.close();
});

function compose(sdl: string, other: string, url = 'http://crossbook.example'): string {
  const result = composeServices([
    { name: 'crossbook', url: `${url}/graphql`, typeDefs: parse(sdl) },
    { name: 'accounts', url: `${accounts.origin}/graphql`, typeDefs: parse(other) },
  ]);
  if (compositionHasErrors(result))
    throw new Error(result.errors.map(({ message }) => message).join('\n'));
  return result.supergraphSdl;
}

/** Runs the printed commands. What prints the SDL stands for the installed command. */
function check(sdl: string): readonly string[] {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(folder, 'served.graphql'), sdl);
  writeFileSync(join(folder, 'accounts.graphql'), ACCOUNTS);
  writeFileSync(join(bin, 'npm'), '#!/bin/sh\ncat served.graphql\n', { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env['PATH']}` };
  return execFileSync('sh', ['-c', CHECK], { cwd: folder, env, encoding: 'utf8' })
    .trim()
    .split('\n');
}

async function readServedSdl(crossbook: ListeningApp): Promise<string> {
  const { data } = await crossbook.execute('{ _service { sdl } }');
  return data._service.sdl;
}

async function ask(crossbook: ListeningApp, supergraph: string, body: { readonly query: string }) {
  const { createGatewayRuntime, buildHTTPExecutor } = await loadRuntime();
  const gateway = createGatewayRuntime({
    supergraph,
    propagateHeaders: {
      fromClientToSubgraphs: ({ subgraphName }) =>
        subgraphName === 'crossbook' ? { 'x-api-key': crossbook.key } : undefined,
    },
    logging: false,
    transports: {
      http: {
        getSubgraphExecutor: ({ transportEntry, fetch }) =>
          buildHTTPExecutor({ endpoint: transportEntry.location, fetch }),
      },
    },
  });
  const server = await openWireServer(gateway);
  const response = await fetch(`${server.origin}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const result = (await response.json()) as FormattedExecutionResult;
  await server.close();
  await gateway[Symbol.asyncDispose]();
  return result;
}

/** Serves both variants of the subgraph. */
function openAccounts(): Promise<WireServer> {
  const customer = (_root: unknown, { id }: { readonly id: string }) => ({ id, plan: 'gold' });
  const schema = createSchema<object>({
    typeDefs: `${ACCOUNTS}
      directive @link(url: String!, import: [String]) repeatable on SCHEMA
      directive @key(fields: String!, resolvable: Boolean) repeatable on OBJECT
      extend type Query { account(id: ID!): Customer }`,
    resolvers: { Query: { customer, account: customer } },
  });
  return openWireServer(
    createYoga<object>({ schema, logging: false, landingPage: false, graphiql: false }),
  );
}
