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
      willSendRequest({ request, context: { req } }) {
        const { headers } = request.http;
        // With this media type, errors come with status 200: this gateway would replace a 401 by an error of its
        // own.
        headers.set('accept', 'application/json');
        if (name !== 'crossbook' || !req) return;
        const own = toCrossbookHeaders((header) => req.headers[header], { apiKey, backOffice });
        for (const [header, value] of Object.entries(own)) headers.set(header, value);
      },
    });
  const server = new ApolloServer({
    gateway: new ApolloGateway({ supergraphSdl: supergraph, buildService }),
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
