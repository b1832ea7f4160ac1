import type { FormattedExecutionResult } from 'graphql';
import { type ListeningApp, listenApp } from '../../support/listen-app.ts';
import { openWireServer } from '../../support/wire-server.ts';
import { compose } from './compose.ts';
import { loadRuntime } from './load-runtime.ts';
import { type NotedContact, openNotesSubgraph } from './notes-subgraph.ts';

/** Credentials and the customer: forwarded unchanged, and verified by Crossbook, not by the gateway. */
const TRUSTED_HEADERS = ['x-api-key', 'x-customer-id', 'x-provider-name', 'authorization'];

/** A real gateway in front of Crossbook and a neighbour that stores notes on contacts: three ports on loopback. */
export async function openGateway({
  notes: count = 30,
  maxCost,
  declaration,
}: GatewayOptions = {}): Promise<TestGateway> {
  const crossbook = await listenApp();
  if (declaration) await crossbook.rest('PUT', '/custom_fields/contact', declaration);
  const sdl = await fetchSdl(crossbook, { 'x-api-key': crossbook.key });
  const notes = await openNotesSubgraph(await findContacts(crossbook, count));
  const { createGatewayRuntime, buildHTTPExecutor } = await loadRuntime();
  const urls = { crossbook: `${crossbook.url}/graphql`, notes: `${notes.origin}/graphql` };
  const gateway = createGatewayRuntime({
    supergraph: compose(urls, sdl),
    propagateHeaders: {
      fromClientToSubgraphs({ request, subgraphName }) {
        if (subgraphName !== 'crossbook') return undefined;
        return Object.fromEntries(TRUSTED_HEADERS.map((name) => [name, request.headers.get(name)]));
      },
    },
    ...(maxCost !== undefined && {
      demandControl: { maxCost, listSize: 1, includeExtensionMetadata: true },
    }),
    // Over HTTP, by the executor of the gateway's own transport.
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

/** The subgraph of a caller, as composition reads it. */
export async function fetchSdl(
  { url }: ListeningApp,
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: '{ _service { sdl } }' }),
  });
  const { data } = (await response.json()) as { data: { _service: { sdl: string } } };
  return data._service.sdl;
}

async function findContacts(crossbook: ListeningApp, count: number): Promise<NotedContact[]> {
  const { data } = await crossbook.execute(
    `{ searchContacts(provider: HUBSPOT, filter: { emailDomain: "bigco.example" }, first: ${count}) {
      nodes { id emailAddresses { emailAddress } }
    } }`,
  );
  const { demo } = crossbook.sandbox.hubspot;
  return data.searchContacts.nodes.map(
    ({ id, emailAddresses: [email] }: Found, index: number): NotedContact => ({
      id,
      email: email?.emailAddress ?? '',
      companyId: demo.idOfRecord('company', 1 + (index % COMPANIES)),
    }),
  );
}

/** As many as one call of the CRM reads. */
const COMPANIES = 100;

interface Found {
  readonly id: string;
  readonly emailAddresses: readonly { readonly emailAddress: string }[];
}

interface GatewayOptions {
  /** How many contacts have written a note. */
  readonly notes?: number;
  /** What the demo application declares of custom fields, as the body of `PUT /custom_fields/contact`. */
  readonly declaration?: object;
  /** The maximum cost of one operation by demand control. Absent: unlimited. */
  readonly maxCost?: number;
}

export interface TestGateway {
  readonly crossbook: ListeningApp;
  ask(query: string, headers: Record<string, string>): Promise<FormattedExecutionResult>;
  close(): Promise<void>;
}
