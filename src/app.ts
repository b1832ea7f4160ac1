import { readFileSync } from 'node:fs';
import type { Config } from './config.ts';
import { checkInstanceUrl } from './domain/instance-url.ts';
import type { Journal, Refusal } from './domain/journal.ts';
import type { OAuthClient } from './domain/provider.ts';
import { readManifest } from './graphql/http/read-manifest.ts';
import { createGraphQL } from './graphql/server.ts';
import { withCors } from './http/cors.ts';
import { type Demo, toDemoCommand } from './http/demo-command.ts';
import { createFront, type Front } from './http/front.ts';
import { createGate } from './http/gate.ts';
import { answerHealth } from './http/health.ts';
import { renderHomePage } from './http/home-page.ts';
import { type Background, createBackground } from './lib/background.ts';
import type { HttpAnswer, HttpHeaders } from './lib/http-message.ts';
import { type Limits, openLimits } from './limits/limits.ts';
import { createOutbound, type Outbound } from './outbound/outbound.ts';
import { createRegistry } from './providers/registry.ts';
import { readCaller } from './request/caller.ts';
import { createRequestContext, type RequestContext, type Services } from './request/context.ts';
import { type CustomerTokens, createCustomerTokens } from './request/customer-token.ts';
import { createKnownCallers, type KnownCallers } from './request/known-callers.ts';
import { createKnownConnections } from './request/known-connections.ts';
import { createKnownOrigins } from './request/known-origins.ts';
import { createRest } from './rest/server.ts';
import { DEMO_APPLICATION, DEMO_CUSTOMER_ID, seedDemo } from './sandbox/demo.ts';
import { openSandbox, type Sandbox } from './sandbox/open-sandbox.ts';
import { type Database, openDatabase } from './storage/database.ts';
import { createCursorSealer } from './storage/sealing/cursors.ts';
import type { KeyRing } from './storage/sealing/key-ring.ts';
import { openKeyRing } from './storage/sealing/open-key-ring.ts';
import { createKeyedHash } from './storage/sealing/seal.ts';
import { createSigningKeys } from './storage/sealing/signing-keys.ts';
import { sweepContactCache } from './storage/sweep-contact-cache.ts';
import { createLogger, type LoggerOptions } from './telemetry/logger.ts';
import { METRICS_TYPE } from './telemetry/metrics/metrics.ts';
import { watchRooms } from './telemetry/metrics/watch-rooms.ts';
import { openTelemetry, type Telemetry } from './telemetry/telemetry.ts';

/** The composition root: the only place that knows every room. */
export async function createApp(
  config: Config,
  logging: Omit<LoggerOptions, 'level'>,
  given: Given = {},
): Promise<App> {
  const log = createLogger({ ...logging, level: config.logLevel });
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const telemetry = await openTelemetry({ log, version, traces: config.traces });
  const operations = config.operations === undefined ? undefined : readManifest(config.operations);
  const keys = openKeyRing(config);
  const database = await openDatabase(config.database, {
    keyRing: keys.ring,
    onError: (cause) => log.warn({ cause }, 'a database connection broke'),
  });
  const ownSandbox =
    config.sandbox && !given.sandbox ? await openSandboxNear(config.sandbox.port) : undefined;
  const sandbox = given.sandbox ?? ownSandbox;
  const demo = sandbox ? await prepareDemo(database, sandbox, keys.ring) : undefined;
  const limits = await openLimits({
    ...config.limits,
    redis: config.redis,
    log,
    hash: createKeyedHash(keys.ring, 'address'),
  });
  const providers = createRegistry();
  const outbound = openOutbound({ config, providers, sandbox, telemetry, limits });
  const background = createBackground((cause) => log.warn({ cause }, 'work behind an answer failed'));
  const tokens = createCustomerTokens({
    keys: createSigningKeys(keys.ring, 'customer token'),
    findSubject: database.findTokenSubject,
    now: Date.now,
  });
  const services = toServices({
    config,
    providers,
    keys: keys.ring,
    database,
    sandbox,
    outbound,
    background,
    tokens,
    limits,
  });
  const callers = openKnownCallers(database, tokens, limits);
  const openContext = toOpenContext(services, callers);

  const rest = createRest({ openContext, prefixes: config.restPrefixes, version });
  const graphql = createGraphQL({
    openContext,
    introspection: config.introspection,
    operations,
    // What a person types there would be refused.
    graphiql: config.graphiql && !operations ? { headers: toDemoHeaders(demo) } : false,
  });
  const sweep = sweepContactCache(database.maintenance, {
    maxBytesPerApplication: config.maxCacheBytes,
    onError: (cause) => log.warn({ cause }, 'the cache was not swept'),
  });
  const gate = createGate({ max: config.maxRequests });
  const { countConnections } = database;
  watchRooms(telemetry.metrics, {
    requests: gate.counts,
    lanes: outbound.counts,
    database: countConnections,
    redis: () => limits.budgets?.isThere(),
  });

  const front = createFront({
    graphql,
    rest,
    gate,
    limits,
    openJournal: telemetry.openJournal,
    answerAlways(request) {
      const { method, pathname } = request;
      if (method !== 'GET') return undefined;
      if (pathname === '/metrics' && config.metrics) return toMetrics(telemetry);
      if (pathname !== '/') return answerHealth(pathname, database);
      const tryIt = demo && toDemoCommand(request.url.origin, demo);
      return Promise.resolve(renderHomePage({ version, tryIt }));
    },
  });

  return {
    demo,
    sandbox,
    notes: keys.notes,
    answer: withCors(front, {
      listOrigins: createKnownOrigins({ list: database.admin.listOrigins, now: Date.now }),
      findApplicationId: async (headers) => (await readCaller(headers, callers))?.application.id,
      openJournal: telemetry.openJournal,
    }),
    onRefused: telemetry.onRefused,
    async close() {
      await Promise.all([database.flush(), sweep.stop()]);
      await background.drain();
      await Promise.all([
        outbound.close(),
        database.close(),
        ownSandbox?.close(),
        telemetry.close(),
        limits.close(),
      ]);
    },
  };
}

/** The port that is asked for, or any free one: the demo's connections follow. */
async function openSandboxNear(port: number): Promise<Sandbox> {
  try {
    return await openSandbox({ hubspotPort: port, salesforcePort: port === 0 ? 0 : port + 1 });
  } catch {
    return openSandbox();
  }
}

/** The key is derived, not kept: the same at every start, and nobody without the key ring can compute it. */
async function prepareDemo(database: Database, sandbox: Sandbox, ring: KeyRing): Promise<Demo> {
  const key = `cbk_demo_${createKeyedHash(ring, 'demo key')('demo')}`;
  await database.admin.ensureApplication(DEMO_APPLICATION);
  await database.admin.ensureKey({ applicationId: DEMO_APPLICATION.id, name: 'demo', key });
  await seedDemo(database.forApplication(DEMO_APPLICATION.id).customers, sandbox);
  return { key, customerId: DEMO_CUSTOMER_ID };
}

function openOutbound({ config, providers, sandbox, telemetry, limits }: OutboundParts): Outbound {
  const { oauthClients, providerDeadlineMs } = config;
  return createOutbound({
    providers,
    sandboxOrigins: toOrigins(sandbox),
    findOAuthClient: (provider, origin) => findSandboxClient(sandbox, origin) ?? oauthClients[provider],
    settings: { deadlineMs: providerDeadlineMs },
    budgets: limits.budgets,
    onCall: telemetry.onCall,
    onLookup: telemetry.metrics.lookup,
  });
}

function toServices(parts: Parts): Services {
  const { config, providers, keys, database, sandbox, outbound, background, tokens, limits } = parts;
  const sandboxOrigins = toOrigins(sandbox);
  return {
    providers,
    cursors: createCursorSealer(keys),
    connections: createKnownConnections({ now: Date.now }),
    cacheMaxAgeMs: config.cacheMaxAgeMs,
    now: Date.now,
    behind: background.run,
    admit: limits.admit,
    openTenant: database.forApplication,
    signToken: tokens.sign,
    openPort: outbound.openContacts,
    forgetConnection: outbound.forget,
    checkInstanceUrl: (url, hosts) => checkInstanceUrl(url, { hosts, sandboxOrigins }),
  };
}

function openKnownCallers(database: Database, tokens: CustomerTokens, limits: Limits): KnownCallers {
  return createKnownCallers({
    async findByKey(key) {
      const found = await database.findCallerByKey(key);
      return found && { application: found.application, credentialId: found.keyId };
    },
    verifyToken: tokens.verify,
    onRight: limits.right,
    now: Date.now,
  });
}

function toOpenContext(services: Services, callers: KnownCallers) {
  return async (headers: HttpHeaders, journal: Journal): Promise<RequestContext> => {
    const caller = await readCaller(headers, callers);
    const defaults = {
      customerId: headers.get('x-customer-id') ?? undefined,
      provider: headers.get('x-provider-name') ?? undefined,
    };
    return createRequestContext(services, { caller, defaults, journal });
  };
}

function toOrigins(sandbox: Sandbox | undefined): readonly string[] {
  return sandbox ? [sandbox.hubspot.origin, sandbox.salesforce.origin] : [];
}

/** The sandbox knows a client of its own, and never learns the secret of a real one. */
function findSandboxClient(sandbox: Sandbox | undefined, origin: string): OAuthClient | undefined {
  return [sandbox?.hubspot, sandbox?.salesforce].find((crm) => crm?.origin === origin)?.demo;
}

function toDemoHeaders(demo: Demo | undefined): Record<string, string> {
  return demo ? { 'x-api-key': demo.key, 'x-customer-id': demo.customerId } : {};
}

async function toMetrics({ metrics }: Telemetry): Promise<HttpAnswer> {
  const headers = { 'content-type': METRICS_TYPE, 'cache-control': 'no-store' };
  return { status: 200, headers, body: metrics.render() };
}

export interface App {
  readonly answer: Front;
  /** To be told what the listener sends away by itself. */
  onRefused(refusal: Refusal): void;
  /** Only where the sandbox is on. */
  readonly demo: Demo | undefined;
  readonly sandbox: Sandbox | undefined;
  /** For the person who starts it. */
  readonly notes: readonly string[];
  close(): Promise<void>;
}

/** What is there already, and stays when this application goes. */
interface Given {
  /** For replicas: they know the same imitated CRMs. */
  readonly sandbox?: Sandbox | undefined;
}

interface Parts {
  readonly config: Config;
  readonly providers: ReturnType<typeof createRegistry>;
  readonly keys: KeyRing;
  readonly database: Database;
  readonly sandbox: Sandbox | undefined;
  readonly outbound: Outbound;
  readonly background: Background;
  readonly tokens: CustomerTokens;
  readonly limits: Limits;
}

interface OutboundParts extends Pick<Parts, 'config' | 'providers' | 'sandbox' | 'limits'> {
  readonly telemetry: Telemetry;
}
