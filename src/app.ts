import { RequestQueue } from './admission/request-queue.ts';
import { startJobs } from './background-jobs.ts';
import type { Config } from './config.ts';
import { openConnecting } from './connecting.ts';
import { DEMO_APPLICATION, DEVELOPMENT_ORIGINS, MAX_TOKEN_SECONDS } from './domain/caller.ts';
import { readApiSupport } from './domain/provider.ts';
import { checkInstanceUrl } from './domain/urls.ts';
import { type AppOverrides, openFoundation } from './foundation.ts';
import { readManifest } from './graphql/over-http/persisted-operations.ts';
import { createGraphQL } from './graphql/server.ts';
import { createCors, createOriginWarning } from './http/cors.ts';
import { createHostCheck, withProxyWarning } from './http/incoming-request.ts';
import { createProbes } from './http/lifecycle.ts';
import { createRequestHandler } from './http/request-handler.ts';
import { renderHomePage, toAgentCommand, toDemoCommand, toDemoHeaders } from './http/welcome.ts';
import { createBackground } from './lib/clock.ts';
import { createMcp } from './mcp/server.ts';
import { createOutbound } from './outbound/outbound.ts';
import { RESPONSE_BOUNDS } from './request/allowance.ts';
import {
  createAdminCheck,
  createCallerCache,
  createFindCaller,
  createOriginCache,
} from './request/caller.ts';
import { REMOVAL_SETTLES_MS } from './request/connection-cache.ts';
import { createOpenContext } from './request/context.ts';
import { createCustomerTokens } from './request/customer-token.ts';
import { createKeyLookups } from './request/key-lookups.ts';
import { createOwnFieldsCache } from './request/own-fields-cache.ts';
import { createAdminFace } from './rest/admin.ts';
import { createRest } from './rest/server.ts';
import { createSigner, createSigningKeys } from './storage/sealing.ts';
import type { LoggerOptions } from './telemetry/logger.ts';
import { registerGauges } from './telemetry/metrics/gauges.ts';

export { openMemory } from './foundation.ts';

/** The composition root; `foundation.ts`, `connecting.ts` and `background-jobs.ts` are its parts. */
export async function createApp(
  config: Config,
  logging: Omit<LoggerOptions, 'level'>,
  given: AppOverrides = {},
) {
  const operations = config.operations === undefined ? undefined : readManifest(config.operations);
  const foundation = await openFoundation(config, logging, given);
  const { clock, log, version, telemetry, keyRing, database, sandbox, demo, notes } = foundation;
  const { providers, limits, memory, directions, connections, findOAuthClient } = foundation;
  const { metrics } = telemetry;
  const outbound = createOutbound({
    providers,
    memory,
    clock,
    findOAuthClient,
    random: given.random,
    sandboxOrigins: directions.sandboxOrigins,
    sandboxAddresses: directions.sandboxAddresses,
    findSandboxLogin: directions.findSandboxOfLogin,
    settings: { deadlineMs: config.providerDeadlineMs },
    distributedRateLimits: limits.distributedRateLimits,
    onCall: telemetry.onCall,
    onLookup: metrics.lookup,
    onRestricted: metrics.restricted,
  });
  const background = createBackground((cause) =>
    log.warn({ cause }, 'work behind an answer failed'),
  );
  const tokens = createCustomerTokens({
    keys: createSigningKeys(keyRing, 'customer token'),
    findSubject: database.findTokenSubject,
    wall: clock.wall,
  });
  const jobs = startJobs(foundation, outbound);
  const connecting = openConnecting(foundation, outbound);
  const openContext = createOpenContext({
    providers,
    cursors: createSigner(createSigningKeys(keyRing, 'cursor')),
    connections,
    ownFields: createOwnFieldsCache(clock),
    connecting: connecting.services,
    cacheMaxAgeMs: config.cacheMaxAgeMs,
    responseBounds: {
      ...RESPONSE_BOUNDS,
      caller: { ...RESPONSE_BOUNDS.caller, bytes: config.maxResponseBytes },
    },
    wall: clock.wall,
    now: clock.now,
    untilForgotten: () => new Promise((resolve) => clock.schedule(REMOVAL_SETTLES_MS, resolve)),
    revokeGrant: outbound.revokeGrant,
    onRevoked: metrics.revoked,
    runInBackground: background.run,
    consumeRateLimit: limits.consumeRateLimit,
    charge: limits.charge,
    openTenant: database.forRequest,
    signToken: tokens.sign,
    openContactPort: outbound.openContactPort,
    forgetConnection: outbound.forget,
    checkWebhookUrl: jobs.checkWebhookUrl,
    checkInstanceUrl: (url, hosts) =>
      checkInstanceUrl(url, { hosts, sandboxOrigins: directions.sandboxOrigins }),
  });
  const callers = createCallerCache({
    parseKey: database.parseApiKey,
    lookups: createKeyLookups({
      findCallers: database.findCallersByKey,
      failures: limits.failures,
    }),
    verifyToken: tokens.verify,
    clock,
    demoKey: demo?.key,
  });
  const graphql = createGraphQL({
    openContext,
    plugins: given.plugins,
    introspection: config.introspection,
    typePrefix: config.typePrefix,
    operations,
    // With trusted documents GraphiQL's queries would be rejected.
    graphiql: config.graphiql && !operations ? { headers: toDemoHeaders(demo) } : false,
  });
  const queue = new RequestQueue({
    maxBegun: config.maxRequests,
    maxUnauthenticated: config.maxUnauthenticated,
    memory,
    clock,
  });
  registerGauges(metrics, {
    requests: () => queue.counts(),
    memory: memory.counts,
    clients: outbound.counts,
    providers: outbound.countWaiting,
    apis: () => readApiSupport(providers.values(), clock.wall()),
    database: database.countConnections,
    redis: () => limits.distributedRateLimits?.isConnected(),
    webhooks: jobs.countWebhooks,
    sweeps: jobs.sweepAges,
    lostLogLines: given.countLostLines ?? (() => 0),
  });
  const cors = createCors({
    findOrigins: createOriginCache({
      list: database.admin.listOrigins,
      always: demo && [{ applicationId: DEMO_APPLICATION.id, origins: DEVELOPMENT_ORIGINS }],
      now: clock.now,
    }),
    onRefused: createOriginWarning({ log, now: clock.now }),
  });
  const agentToken =
    demo &&
    config.mcp &&
    (await tokens.sign(DEMO_APPLICATION.id, {
      customerId: demo.customerId,
      expiresAt: new Date(clock.wall() + MAX_TOKEN_SECONDS * 1_000),
    }));
  const probes = createProbes({
    checkShared: database.checkShared,
    renderMetrics: config.metrics ? metrics.answer : undefined,
    renderHomePage: (origin) =>
      renderHomePage({
        version,
        tryIt: demo && toDemoCommand(origin, demo),
        connectAgent: agentToken && toAgentCommand(origin, agentToken),
        connectsAt: demo && connecting.services.publicUrl(),
      }),
  });
  const answer = createRequestHandler({
    graphql,
    queue,
    memory,
    probes,
    rest: createRest({ openContext, prefixes: config.restPrefixes, version, demo }),
    admin:
      config.adminKeyHash === undefined
        ? undefined
        : {
            ...createAdminFace({ ...database.admin, now: clock.wall }),
            requireKey: createAdminCheck({ hash: config.adminKeyHash, failures: limits.failures }),
          },
    connect: connecting.openPages(openContext),
    allowsUnauthenticated: config.allowsUnauthenticated,
    checkHost: config.sandbox && createHostCheck(config.sandbox.hosts),
    mcp:
      config.mcp &&
      createMcp({
        openContext,
        findApplications: cors.findApplications,
        allowsKeys: config.mcp.allowsKeys,
        issuer: config.mcp.issuer,
        publicUrl: connecting.services.publicUrl,
        version,
      }),
    cors,
    findCaller: withProxyWarning(createFindCaller(callers), { proxies: config.proxies, log }),
    openRequestLog: telemetry.openRequestLog,
    addRateLimitHeaders: limits.addRateLimitHeaders,
  });

  return {
    answer,
    /** Called for requests that the listener rejects by itself. */
    onRefused: telemetry.onRefused,
    /** The memory limit, for the listener. */
    memory,
    /** Present with the sandbox only. */
    demo,
    sandbox,
    /** The token of the demo's customer for agents. Undefined without the sandbox or the MCP server. */
    agentToken,
    /** Whether there is an MCP server. */
    hasMcp: config.mcp !== undefined,
    /** Messages for the operator. */
    notes,
    /** Sets the listener's URL, which is the public origin where `PUBLIC_URL` is not set. */
    announceUrl: connecting.announceUrl,
    /** Makes `/readyz` fail; requests are still served. */
    announceStop: probes.announceStop,
    async close() {
      await Promise.all([database.flush(), jobs.stop()]);
      await background.drain();
      await Promise.all([outbound.close(), graphql.close(), foundation.close()]);
    },
  };
}

export type App = Awaited<ReturnType<typeof createApp>>;
