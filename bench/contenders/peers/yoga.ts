import { createSchema, createYoga } from 'graphql-yoga';
import { createResolvers, TYPE_DEFS } from '../peer-schema.ts';
import { hubSpotOfArguments, serve } from '../serve.ts';

/** GraphQL Yoga with its defaults. */
const resolvers = createResolvers(hubSpotOfArguments());
serve(createYoga({ schema: createSchema({ typeDefs: TYPE_DEFS, resolvers }) }));
