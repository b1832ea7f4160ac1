import { createServer } from 'node:http';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { buildHTTPExecutor } from '@graphql-tools/executor-http';
import { toCrossbookHeaders } from './crossbook-headers.mjs';

/**
 * The maximum cost of one operation by @cost and @listSize: a search is 150. Crossbook’s own limit applies as well.
 */
const MAX_COST = 10_000;

/**
 * Hive Gateway in front of both. With its own command, `hive-gateway`, the same options are in gateway.config.ts.
 */
export function createGateway({ supergraph, apiKey, backOffice }) {
  const gateway = createGatewayRuntime({
    supergraph,
    demandControl: { maxCost: MAX_COST, listSize: 1 },
    propagateHeaders: {
      fromClientToSubgraphs: ({ request, subgraphName }) =>
        subgraphName === 'crossbook'
          ? toCrossbookHeaders((name) => request.headers.get(name), { apiKey, backOffice })
          : undefined,
    },
    // The runtime has no transports of its own; those of the command are more packages.
    transports: {
      http: {
        getSubgraphExecutor: ({ transportEntry, fetch }) =>
          buildHTTPExecutor({ endpoint: transportEntry.location, fetch }),
      },
    },
    logging: false,
  });
  return createServer(gateway);
}
