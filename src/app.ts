import { createHeavyPlaces } from './admission/heavy-places.ts';
import { RequestQueue } from './admission/request-queue.ts';
import { startJobs } from './background-jobs.ts';
import type { Config } from './config.ts';
import { createLogoCheck } from './connect/logos.ts';
import { openConnecting } from './connecting.ts';
import {
  DEMO_APPLICATION,
  DEVELOPMENT_ORIGINS,
  MAX_TOKEN_SECONDS,
  toAdminKeyHash,
} from './domain/caller.ts';
import { checkInstanceUrl } from './domain/urls.ts';
import { WRITE_TIMES } from './domain/writing.ts';
import { type AppOverrides, openCalls, openFoundation } from './foundation.ts';
import { createGraphQL } from './graphql/graphql-server.ts';
import { readManifest } from './graphql/over-http/persisted-operations.ts';
import { createCors, createOriginWarning } from './http/cors.ts';
import { createHostCheck, withProxyWarning } from './http/incoming-request.ts';
import { createProbes } from './http/lifecycle.ts';
import { createRequestHandler } from './http/request-handler.ts';
import { UnreadBytes } from './http/unread-bytes.ts';
import {
  renderHomePage,
  toAgentCommand,
  toDemoCommand,
  toDemoHeaders,
  toDemoResponse,
} from './http/welcome.ts';
import { withCleanup } from './lib/cleanup.ts';
import { createBackground } from './lib/clock.ts';
import { createMcp } from './mcp/mcp-server.ts';
import { openGauges } from './measuring.ts';
import { createWebhookUrlCheck } from './outbound/webhooks/post.ts';
import { RESPONSE_BOUNDS } from './request/allowance.ts';
import { createCallerCache, createFindCaller, createOriginCache } from './request/caller.ts';
import { REMOVAL_SETTLES_MS } from './request/connection-cache.ts';
import { createOpenContext } from './request/context.ts';
import { createCustomFieldsCache } from './request/custom-fields-cache.ts';
import { createCustomerTokens } from './request/customer-token.ts';
import { createFieldRefreshes } from './request/field-refreshes.ts';
import { createKeyLookups } from './request/key-lookups.ts';
import { createRest } from './rest/rest-server.ts';
import { createSigner, createSigningKeys } from './storage/signing.ts';
import type { Logging } from './telemetry/logger.ts';

/** The composition root; `foundation.ts`, `connecting.ts` and `background-jobs.ts` are its parts. */
export function createApp(config: Config, logging: Logging, overrides: AppOverrides = {}) {
  return withCleanup((onFailure) => openApp({ config, logging, overrides, onFailure }));
}

async function openApp({ config, logging, overrides, onFailure }: Opening) {
  const operations = config.operations === undefined ? undefined : readManifest(config.operations);
  // With trusted documents GraphiQL's queries would be rejected.
  const hasGraphiQL = config.graphiql && !operations;
  // Before anything is opened, because it rejects plugins that would not work.
  const graphql = createGraphQL({
    openContext: (...request) => openContext(...request),
    plugins: overrides.plugins,
    introspection: config.introspection,
    typePrefix: config.typePrefix,
    rootFieldPrefix: config.rootFieldPrefix,
    typedFields: config.typedFields,
    operations,
    graphiql: hasGraphiQL
      ? { headers: () => toDemoHeaders(demo), returnUrl: () => connecting.demoReturnUrl() }
      : false,
  });
  onFailure(graphql.close);
  const foundation = await openFoundation(config, logging, overrides, onFailure);
  const { clock, log, version, telemetry, keyRing, database, notes } = foundation;
  const demo = foundation.demo && {
    ...foundation.demo,
    takesAnyQuery: !operations,
    rootFieldPrefix: config.rootFieldPrefix,
  };
  const { providers, limits, memoryBytes, directions, connections } = foundation;
  const { metrics } = telemetry;
  const { outbound, revoke } = openCalls(foundation, overrides);
  const background = createBackground((cause) =>
    log.warn({ cause }, 'a background task of a request failed'),
  );
  const tokens = createCustomerTokens({
    keys: createSigningKeys(keyRing, 'customer token'),
    findSubject: database.findTokenSubject,
    wall: clock.wall,
  });
  onFailure(outbound.close);
  const queue = new RequestQueue({
    maxBegun: config.maxRequests,
    maxUnauthenticated: config.maxUnauthenticated,
    ...(overrides.timeouts && { maxWaitMs: overrides.timeouts.queueMs }),
    heavy: createHeavyPlaces({
      clock,
      heapBytes: memoryBytes,
      max: config.heavyRequests,
      maxWaitMs: overrides.timeouts?.queueMs,
    }),
    clock,
  });
  const unread = new UnreadBytes(memoryBytes / 4);
  const jobs = startJobs(foundation, {
    outbound,
    revoke,
    writeTimes: { ...WRITE_TIMES, ...overrides.writeTimes },
    doesJobs: config.jobs,
    announceWork: overrides.announceWork,
  });
  onFailure(jobs.stop);
  const connecting = openConnecting(foundation, outbound);
  const openContext = createOpenContext({
    providers,
    cursors: createSigner(createSigningKeys(keyRing, 'cursor')),
    connections,
    customFields: createCustomFieldsCache(clock),
    fieldRefreshes: createFieldRefreshes(clock),
    connecting: connecting.services,
    cacheMaxAgeMs: config.cacheMaxAgeMs,
    writeTimes: { ...WRITE_TIMES, ...overrides.writeTimes },
    responseBounds: {
      ...RESPONSE_BOUNDS,
      caller: { ...RESPONSE_BOUNDS.caller, bytes: config.maxResponseBytes },
    },
    wall: clock.wall,
    now: clock.now,
    untilForgotten: () => new Promise((resolve) => clock.schedule(REMOVAL_SETTLES_MS, resolve)),
    revokeRemoved: revoke,
    runInBackground: background.run,
    charge: limits.charge,
    openTenant: database.forRequest,
    signToken: tokens.sign,
    openCrmPort: outbound.openCrmPort,
    forgetConnection: outbound.forget,
    checkWebhookUrl: createWebhookUrlCheck(foundation),
    checkDestination: jobs.checkDestination,
    cleanLogo: createLogoCheck(clock),
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
  const { countLostLines } = overrides;
  const adminKeyHash =
    config.adminKeyHash ??
    (config.console && foundation.demo && toAdminKeyHash(foundation.demo.adminKey));
  const operating =
    adminKeyHash === undefined
      ? undefined
      : await (await import('./operating.ts')).openOperating(foundation, {
          keyHash: adminKeyHash,
          basePath: connecting.basePath,
        });
  const console = operating?.console;
  openGauges(foundation, {
    outbound,
    jobs,
    requests: () => queue.counts(),
    unread: () => unread.counts(),
    countLostLines,
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
      canList: true,
      expiresAt: new Date(clock.wall() + MAX_TOKEN_SECONDS * 1_000),
    }));
  const probes = createProbes({
    checkShared: database.checkShared,
    renderMetrics: config.metrics ? () => metrics.answer(overrides.renderMetrics) : undefined,
    renderHomePage(origin) {
      const basePath = connecting.basePath();
      const url = origin + basePath;
      return renderHomePage({
        version,
        basePath,
        tryIt: demo && { command: toDemoCommand(url, demo), response: toDemoResponse(demo) },
        connectAgent: agentToken && toAgentCommand(url, agentToken),
        connectsAt: demo && connecting.services.publicUrl(),
        hasGraphiQL,
      });
    },
  });
  const answer = createRequestHandler({
    graphql,
    queue,
    unread,
    responseBytes: {
      caller: config.maxResponseBytes,
      unauthenticated: Math.min(RESPONSE_BOUNDS.unauthenticated.bytes, config.maxResponseBytes),
    },
    probes,
    rest: createRest({
      openContext,
      prefixes: config.restPrefixes,
      basePath: connecting.basePath,
      version,
      demo,
      hasGraphiQL,
      operators: config.console && {
        audit: database.audit.add,
        mayReadRecords: config.console.contacts,
      },
    }),
    admin: operating?.admin,
    console,
    connect: connecting.openPages(openContext),
    allowsUnauthenticated: config.allowsUnauthenticated,
    checkHost: config.sandbox && createHostCheck(config.sandbox.hosts),
    mcp:
      config.mcp &&
      createMcp({
        openContext,
        findApplications: cors.findApplications,
        allowsKeys: config.mcp.allowsKeys,
        allowsWrites: config.mcp.writes,
        summaryOnly: !config.mcp.text,
        issuer: config.mcp.issuer,
        publicUrl: connecting.services.publicUrl,
        version,
      }),
    cors,
    findCaller: withProxyWarning(createFindCaller(callers, console?.findCaller), {
      proxies: config.proxies,
      log,
    }),
    openRequestLog: telemetry.openRequestLog,
    consumeRateLimit: limits.consumeRateLimit,
    addRateLimitHeaders: limits.addRateLimitHeaders,
  });

  return {
    answer,
    /** Called for requests that the listener rejects by itself. */
    onRefused: telemetry.onRefused,
    /** What clients have not read yet, for the listener. */
    unread,
    /** Whether another request can begin soon. */
    hasRoom: () => queue.hasRoom(),
    /** The metrics of this process, for the sum over workers. */
    readMetrics: metrics.read,
    onForwarded: metrics.forwarded,
    /** Present with the sandbox only. */
    demo,
    sandbox: foundation.openedSandbox,
    /** The token of the demo's customer for agents. Undefined without the sandbox or the MCP server. */
    agentToken,
    /** The demo's admin key, if it is valid. Empty: the operator has a key. Undefined: there is no console. */
    consoleKey: console && (config.adminKeyHash === undefined ? foundation.demo?.adminKey : ''),
    /** Whether browsers get GraphiQL. */
    hasGraphiQL,
    /** Whether there is an MCP server. */
    hasMcp: config.mcp !== undefined,
    /** Messages for the operator. */
    notes,
    /** Logs them, if there is no startup message. */
    logNotes() {
      for (const note of notes) log.info({}, note.replaceAll(/\s+/g, ' '));
    },
    /** Sets the listener's URL, which is the public URL where `PUBLIC_URL` is not set. */
    announceUrl: connecting.announceUrl,
    basePath: connecting.basePath,
    /** Makes `/readyz` fail; requests are still served. */
    announceStop: probes.announceStop,
    async close() {
      await Promise.all([database.flush(), jobs.stop()]);
      await background.drain();
      await jobs.storeUsage();
      await Promise.all([outbound.close(), graphql.close(), foundation.close()]);
    },
  };
}

interface Opening {
  readonly config: Config;
  readonly logging: Logging;
  readonly overrides: AppOverrides;
  readonly onFailure: (close: () => unknown) => void;
}

export type App = Awaited<ReturnType<typeof createApp>>;
