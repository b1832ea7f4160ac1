import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import { startStandaloneServer } from '@apollo/server/standalone';
import { toCrossbookHeaders } from '../crossbook-headers.mjs';

// By default the gateway reports usage to its vendor.
process.env.APOLLO_TELEMETRY_DISABLED = 'true';

/** Apollo’s gateway in front of both. It has no demand control: only Crossbook’s own cost limit applies. */
export async function startApolloGateway({ supergraph, apiKey, backOffice, port }) {
  const buildService = ({ name, url }) =>
    new RemoteGraphQLDataSource({
      url,
      fetcher: fetchWithErrors,
      willSendRequest({ request, context: { req } }) {
        if (name !== 'crossbook' || !req) return;
        const own = toCrossbookHeaders((header) => req.headers[header], { apiKey, backOffice });
        for (const [header, value] of Object.entries(own)) request.http.headers.set(header, value);
      },
    });
  const server = new ApolloServer({
    gateway: new ApolloGateway({ supergraphSdl: supergraph, buildService }),
    formatError: withoutResponse,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    plugins: [ApolloServerPluginLandingPageDisabled()],
  });
  const { url } = await startStandaloneServer(server, {
    listen: { port: Number(port), host: '127.0.0.1' },
    context: async ({ req }) => ({ req }),
  });
  return url;
}

/**
 * A response without data has the status of its error, such as 401 or 429. The data source replaces the errors of
 * these by one of its own, unless they come with status 200.
 */
async function fetchWithErrors(url, options) {
  const response = await fetch(url, options);
  if (response.ok) return response;
  const body = await response
    .clone()
    .json()
    .catch(() => undefined);
  return Array.isArray(body?.errors) ? Response.json(body) : response;
}

/** Any other failed response is in an error’s extensions, with the internal URL of the subgraph. */
function withoutResponse({ extensions: { response: _, ...extensions } = {}, ...error }) {
  return { ...error, extensions };
}
