import { keepIdleTokensAlive, openWebhooks } from './background-jobs.ts';
import { findFirstStep, openAdmin, openCallerCache, openCors } from './callers.ts';
import type { Config } from './config.ts';
import { addDemoPages, createFindOAuthClient, openConnecting, toRedirectNotes } from './connecting.ts';
import type { RejectedRequest } from './domain/log.ts';
import type { FindOAuthClient } from './domain/oauth.ts';
import { readApiSupport } from './domain/provider.ts';
import type { HeldBytes } from './domain/resources.ts';
import { readManifest } from './graphql/over-http/persisted-operations.ts';
import { createGraphQL, type Plugins } from './graphql/server.ts';
import { createConcurrencyLimit } from './http/concurrency-limit.ts';
import { createProbes } from './http/health.ts';
import { renderHomePage } from './http/home-page.ts';
import { createHostCheck, createProxyWarning } from './http/incoming-request.ts';
import { createRequestHandler, type RequestHandler } from './http/request-handler.ts';
import { type Demo, toDemoCommand, toDemoHeaders } from './http/startup-message.ts';
import { type Clock, createBackground, systemClock } from './lib/clock.ts';
import { createFairScheduler } from './lib/fair-scheduler.ts';
import { createHeldBytes, defaultMaxHeldBytes } from './limits/held-bytes.ts';
import { type Limits, openLimits } from './limits/limits.ts';
import { createOutbound, type Outbound } from './outbound/outbound.ts';
import { createRegistry } from './providers/registry.ts';
import { readCaller } from './request/caller.ts';
import { createConnectionCache } from './request/connection-cache.ts';
import { createOpenContext } from './request/context.ts';
import { createCustomerTokens } from './request/customer-token.ts';
import { createRest } from './rest/server.ts';
import { type Directions, toDirections } from './sandbox/directions.ts';
import type { Sandbox } from './sandbox/open-sandbox.ts';
import type { SandboxNear } from './sandbox/open-sandbox-near.ts';
import { toServices } from './services.ts';
import { type Database, openDatabase } from './storage/database.ts';
import type { BegunServer } from './storage/embedded/start.ts';
import { reportTo } from './storage/engine/open.ts';
import { sweepContactCache } from './storage/maintenance.ts';
import { type KeyRing, openKeyRing } from './storage/sealing/key-ring.ts';
import { createKeyedHash, createSigningKeys } from './storage/sealing/seal.ts';
import { createLogger, type LoggerOptions } from './telemetry/logger.ts';
import { registerGauges } from './telemetry/metrics/gauges.ts';
import { answerMetrics } from './telemetry/metrics/metrics.ts';
import { openTelemetry, type Telemetry } from './telemetry/telemetry.ts';
import { readVersion } from './version.ts';

/** The composition root: the only place that knows every room. */
export async function createApp(
  config: Config,
  logging: Omit<LoggerOptions, 'level'>,
  given: AppOverrides = {},
): Promise<App> {
  const { clock = systemClock, random } = given;
  const log = createLogger({ ...logging, level: config.logLevel });
  const version = readVersion();
  const telemetry = await openTelemetry({ log, version, traces: config.traces, clock });
  const operations = config.operations === undefined ? undefined : readManifest(config.operations);
  const keys = openKeyRing(config);
  given.onStep?.('Opening the database');
  const database = await openDatabase(given.database ? { begun: given.database } : config.database, {
    keyRing: keys.ring,
    clock,
    poolSize: config.databaseConnections,
    refreshLeaseMs: config.providerDeadlineMs + REFRESH_MARGIN_MS,
    ...reportTo(log),
  });
  if (config.sandbox) given.onStep?.('Opening the sandbox');
  const own = config.sandbox && !given.sandbox ? await openOwnSandbox(config.sandbox.port) : undefined;
  const sandbox = given.sandbox ?? own?.sandbox;
  const demo = sandbox ? await prepareDemo(database, sandbox, keys.ring) : undefined;
  const providers = createRegistry();
  const notes = [
    ...keys.notes,
    ...(own?.notes ?? []),
    ...(sandbox || !(await database.demoData.remove()) ? [] : [DEMO_REMOVED]),
    ...(sandbox ? [] : await findFirstStep(database)),
    ...toRedirectNotes(config, providers.values()),
  ];
  const limits = await openLimits({
    ...config.limits,
    pages: config.pagesPerMinute,
    redis: config.redis,
    ...{ log, clock },
    hash: createKeyedHash(keys.ring, 'address'),
  });
  const heldBytes = createHeldBytes({ maxBytes: config.maxHeldBytes ?? defaultMaxHeldBytes() });
  const directions = toDirections(sandbox);
  const findOAuthClient = createFindOAuthClient({
    ...{ config, database },
    findSandboxClient: (origin) =>
      directions.findSandboxOfLogin(origin)?.client ?? directions.findClient(origin),
  });
  const outbound = openOutbound({
    ...{ config, providers, directions, telemetry, limits, heldBytes, random, clock, findOAuthClient },
  });
  const background = createBackground((cause) => log.warn({ cause }, 'work behind an answer failed'));
  const tokens = createCustomerTokens({
    keys: createSigningKeys(keys.ring, 'customer token'),
    findSubject: database.findTokenSubject,
    wall: clock.wall,
  });
  const { metrics } = telemetry;
  const webhooks = openWebhooks({ database, log, clock, metrics, mayLoopback: sandbox !== undefined });
  const connections = createConnectionCache(clock);
  const connecting = openConnecting({
    ...{ config, database, providers, outbound, connections, telemetry, limits, clock, log, directions },
    ...{ keys: keys.ring, demo, findOAuthClient },
  });
  const services = toServices({
    ...{ config, providers, keys: keys.ring, database, connections },
    sandboxOrigins: directions.sandboxOrigins,
    ...{ outbound, background, tokens, telemetry, limits, clock, webhooks },
    connecting: connecting.services,
  });
  const callers = openCallerCache({ database, tokens, limits, clock, demoKey: demo?.key });
  const openContext = createOpenContext(services);

  const rest = createRest({ openContext, prefixes: config.restPrefixes, version, demo });
  const graphql = await createGraphQL({
    openContext,
    plugins: given.plugins,
    introspection: config.introspection,
    typePrefix: config.typePrefix,
    operations,
    heldBytes,
    // What a person types there would be refused.
    graphiql: config.graphiql && !operations ? { headers: toDemoHeaders(demo) } : false,
  });
  const sweep = sweepContactCache(database, {
    maxBytesPerApplication: config.maxCacheBytes,
    clock,
    onError: (cause) => log.warn({ cause }, 'what is old was not swept'),
  });
  const idleTokens = keepIdleTokensAlive({
    ...{ database, outbound, providers, clock },
    onRenewed: telemetry.metrics.idleRefresh,
    onError: (cause) => log.warn({ cause }, 'idle refresh tokens were not renewed'),
  });
  const limit = createConcurrencyLimit({
    max: config.maxRequests,
    maxStrangers: config.maxStrangers,
    scheduler: createFairScheduler(clock),
  });
  registerGauges(metrics, {
    requests: limit.counts,
    heldBytes: heldBytes.counts,
    clients: outbound.counts,
    providers: outbound.countWaiting,
    apis: () => readApiSupport(providers.values(), clock.wall()),
    database: database.countConnections,
    redis: () => limits.sharedRateLimits?.isConnected(),
    webhooks: webhooks.counts,
    lostLogLines: given.countLostLines ?? (() => 0),
  });

  const probes = createProbes({
    checkReadiness: database.checkReadiness,
    renderMetrics: config.metrics ? () => answerMetrics(metrics) : undefined,
    renderHomePage: (origin) =>
      renderHomePage({
        ...{ version, tryIt: demo && toDemoCommand(origin, demo) },
        connectsAt: demo && connecting.services.publicUrl(),
      }),
  });
  const warnOfProxies = createProxyWarning({ proxies: config.proxies, log });
  const handleRequest = createRequestHandler({
    ...{ graphql, rest, limit, heldBytes },
    admin: openAdmin({ config, database, limits, clock }),
    connect: demo
      ? addDemoPages({ ...{ services, providers, demo }, pages: connecting.pages, ...directions })
      : connecting.pages,
    strangers: config.strangers,
    checkHost: config.sandbox && createHostCheck(config.sandbox.hosts),
    cors: openCors({ database, demo, clock, log }),
    findCaller(arrival) {
      warnOfProxies(arrival.headers);
      return readCaller(arrival, callers);
    },
    openRequestLog: telemetry.openRequestLog,
    addQuota: limits.addQuota,
    probes,
  });

  return {
    demo,
    sandbox,
    notes,
    answer: handleRequest,
    onRefused: telemetry.onRefused,
    heldBytes,
    announceStop: probes.announceStop,
    announceUrl: connecting.announceUrl,
    async close() {
      await Promise.all([database.flush(), sweep.stop(), idleTokens.stop(), webhooks.stop()]);
      await background.drain();
      await Promise.all([
        outbound.close(),
        database.close(),
        own?.sandbox.close(),
        telemetry.close(),
        limits.close(),
        graphql.close(),
      ]);
    },
  };
}

async function openOwnSandbox(port: number): Promise<SandboxNear> {
  const { openSandboxNear } = await import('./sandbox/open-sandbox-near.ts');
  return openSandboxNear(port);
}

/** The key is derived, not kept: the same at every start, and it cannot be computed without the key ring. */
async function prepareDemo(database: Database, sandbox: Sandbox, ring: KeyRing): Promise<Demo> {
  const { DEMO_APPLICATION, DEMO_CUSTOMER_ID, seedDemo } = await import('./sandbox/demo.ts');
  const key = `cbk_demo_${createKeyedHash(ring, 'demo key')('demo')}`;
  await database.demoData.use();
  await database.admin.ensureApplication(DEMO_APPLICATION);
  await seedDemo(database.forApplication(DEMO_APPLICATION.id).customers, sandbox);
  return { key, customerId: DEMO_CUSTOMER_ID };
}

function openOutbound(parts: OutboundParts): Outbound {
  const { config, directions, telemetry, limits, ...others } = parts;
  const { sandboxOrigins, sandboxAddresses, findSandboxOfLogin } = directions;
  return createOutbound({
    ...{ ...others, sandboxOrigins, sandboxAddresses, findSandboxLogin: findSandboxOfLogin },
    settings: { deadlineMs: config.providerDeadlineMs },
    sharedRateLimits: limits.sharedRateLimits,
    onCall: telemetry.onCall,
    onLookup: telemetry.metrics.lookup,
    onRestricted: telemetry.metrics.restricted,
  });
}

const DEMO_REMOVED = 'Demo       the demo application and its data were removed: the sandbox is off';
/** Left for storing the new token, after the provider's deadline. */
const REFRESH_MARGIN_MS = 10_000;

export interface App {
  readonly answer: RequestHandler;
  /** To be told what the listener sends away by itself. */
  onRefused(refusal: RejectedRequest): void;
  /** For what the listener holds. */
  readonly heldBytes: HeldBytes;
  /** Only where the sandbox is on. */
  readonly demo: Demo | undefined;
  readonly sandbox: Sandbox | undefined;
  /** For the person who starts it. */
  readonly notes: readonly string[];
  /** Where it listens: browsers find it there as long as no `PUBLIC_URL` is set. */
  announceUrl(url: string): void;
  /** From now on it is not ready, and does all that it is asked. */
  announceStop(): void;
  close(): Promise<void>;
}

export interface AppOverrides {
  /** Of tests: there already, and stays when this application goes. Replicas know the same imitated CRMs. */
  readonly sandbox?: Sandbox | undefined;
  /** Of tests, from 0 to 1: the jitter of retries. */
  readonly random?: (() => number) | undefined;
  /** Of tests. */
  readonly clock?: Clock | undefined;
  /** The embedded one, where it is starting already. */
  readonly database?: BegunServer | undefined;
  /** For the person who waits: what the start is busy with. */
  readonly onStep?: ((step: string) => void) | undefined;
  /** Of Yoga or Envelop, for GraphQL operations, by names of your own. One that could not do its work here is refused. */
  readonly plugins?: Plugins | undefined;
  /** Of the log: what could not be written. */
  readonly countLostLines?: (() => number) | undefined;
}

interface OutboundParts extends Pick<AppOverrides, 'random'> {
  readonly config: Config;
  readonly providers: ReturnType<typeof createRegistry>;
  readonly directions: Directions;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly findOAuthClient: FindOAuthClient;
  readonly telemetry: Telemetry;
  readonly heldBytes: HeldBytes;
}
