import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import mercurius from 'mercurius';
import { createResolvers, TYPE_DEFS } from '../peer-schema.ts';
import { hubSpotOfArguments, ready } from '../serve.ts';

/** Mercurius on Fastify, with its JIT from the first execution of an operation. */
const resolvers = createResolvers(hubSpotOfArguments());
const app = fastify();
await app.register(mercurius, { schema: TYPE_DEFS, resolvers, jit: 1 });
await app.listen({ host: '127.0.0.1', port: 0 });
ready((app.server.address() as AddressInfo).port);
