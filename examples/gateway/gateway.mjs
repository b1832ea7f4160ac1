import { createServer } from 'node:http';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import { buildHTTPExecutor } from '@graphql-tools/executor-http';

/** Of one operation, as @cost and @listSize reckon it: a search is 150. Crossbook’s own bound holds as well. */
const MAX_COST = 10_000;

/** Hive Gateway in front of both. With its own command, `hive-gateway`, the same options stand in gateway.config.ts. */
export function createGateway({ supergraph, apiKey, backOffice }) {
  const gateway = createGatewayRuntime({
    supergraph,
    demandControl: { maxCost: MAX_COST, listSize: 1 },
    propagateHeaders: {
      fromClientToSubgraphs: ({ request, subgraphName }) =>
        subgraphName === 'crossbook' ? toCrossbook(request.headers, { apiKey, backOffice }) : undefined,
    },
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

/**
 * A browser’s customer token is passed on: it holds whatever the operation says. The API key is the gateway’s own and opens
 * all customers, so it is given only to whom the gateway has authenticated itself: here, by a secret of the back office.
 */
function toCrossbook(headers, { apiKey, backOffice }) {
  const authorization = headers.get('authorization');
  if (authorization === null) return {};
  if (authorization !== `Bearer ${backOffice}`) return { authorization };
  return { 'x-api-key': apiKey, 'x-customer-id': headers.get('x-customer-id') };
}
