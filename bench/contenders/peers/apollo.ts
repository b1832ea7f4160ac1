import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { createResolvers, TYPE_DEFS } from '../peer-schema.ts';
import { hubSpotOfArguments, ready } from '../serve.ts';

/** Apollo Server with its defaults. */
const resolvers = createResolvers(hubSpotOfArguments());
const server = new ApolloServer({ typeDefs: TYPE_DEFS, resolvers });
const { url } = await startStandaloneServer(server, { listen: { host: '127.0.0.1', port: 0 } });
ready(Number(new URL(url).port));
