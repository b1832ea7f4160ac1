import type { FormattedExecutionResult } from 'graphql';
import { type ListeningApp, listenApp } from '../support/listen-app.ts';
import { openWireServer } from '../support/wire-server.ts';
import { compose } from './compose.ts';
import { loadRuntime } from './load-runtime.ts';
import { openNotesSubgraph } from './notes-subgraph.ts';

/** What says who calls, and for whom. It is sent on as it is: Crossbook checks it, the gateway does not. */
const TRUSTED_HEADERS = ['x-api-key', 'x-customer-id', 'x-provider-name', 'authorization'];

/** A real gateway in front of Crossbook and a neighbour that keeps notes on 30 contacts: three ports on loopback. */
export async function openGateway(): Promise<TestGateway> {
  const crossbook = await listenApp();
  const contactIds = await findContactIds(crossbook);
  const notes = await openNotesSubgraph(contactIds);
  const { createGatewayRuntime, buildHTTPExecutor } = await loadRuntime();
  const gateway = createGatewayRuntime({
    supergraph: compose({ crossbook: `${crossbook.url}/graphql`, notes: `${notes.origin}/graphql` }),
    propagateHeaders: {
      fromClientToSubgraphs({ request, subgraphName }) {
        if (subgraphName !== 'crossbook') return undefined;
        return Object.fromEntries(TRUSTED_HEADERS.map((name) => [name, request.headers.get(name)]));
      },
    },
    // Over HTTP, by the executor that the gateway's own transport is made of.
    transports: {
      http: {
        getSubgraphExecutor: ({ transportEntry, fetch }) =>
          buildHTTPExecutor({ endpoint: transportEntry.location, fetch }),
      },
    },
    logging: false,
  });
  const server = await openWireServer(gateway);
  return {
    crossbook,
    async ask(query, headers) {
      const response = await fetch(`${server.origin}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ query }),
      });
      return (await response.json()) as FormattedExecutionResult;
    },
    async close() {
      await server.close();
      await gateway[Symbol.asyncDispose]();
      await Promise.all([notes.close(), crossbook.close()]);
    },
  };
}

async function findContactIds(crossbook: ListeningApp): Promise<string[]> {
  const { data } = await crossbook.execute(
    '{ searchContacts(provider: HUBSPOT, filter: { emailDomain: "bigco.example" }, first: 30) { nodes { id } } }',
  );
  return data.searchContacts.nodes.map(({ id }: { id: string }) => id);
}

export interface TestGateway {
  readonly crossbook: ListeningApp;
  ask(query: string, headers: Record<string, string>): Promise<FormattedExecutionResult>;
  close(): Promise<void>;
}
