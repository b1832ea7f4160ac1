import type { JoinedSandbox, Sandbox, SandboxFacts } from '@crossbook/sandbox';
import { maxProviderResponseBytes, readMemoryLimit } from './admission/heavy-places.ts';
import type { Config } from './config.ts';
import { type Directions, toDirections, toUsedSandbox } from './demo/directions.ts';
import { DEMO_CUSTOMER_ID, seedDemo } from './demo/seed-demo.ts';
import { DEMO_APPLICATION } from './domain/caller.ts';
import type { FindOAuthClient } from './domain/oauth.ts';
import type { Provider, Providers } from './domain/provider.ts';
import type { RemovedConnection } from './domain/tenant.ts';
import { listRedirectUris } from './domain/urls.ts';
import type { WriteTimes } from './domain/writing.ts';
import type { Plugins } from './graphql/graphql-server.ts';
import type { Demo } from './http/welcome.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { toOwnCommand } from './lib/own-command.ts';
import { openLimits, type SharedLimits } from './limits/limits.ts';
import { createOutbound } from './outbound/outbound.ts';
import { createRegistry } from './providers/registry.ts';
import { createConnectionCache } from './request/connection-cache.ts';
import { type Database, openDatabase } from './storage/database.ts';
import type { BegunServer } from './storage/embedded-server.ts';
import { reportTo } from './storage/engine/open.ts';
import type { Tuning } from './storage/engine/tuning.ts';
import { type KeyRing, openKeyRing } from './storage/key-ring.ts';
import { createKeyedHash } from './storage/signing.ts';
import { createLogger, type Logging } from './telemetry/logger.ts';
import { openTelemetry } from './telemetry/telemetry.ts';
import { revokeRemoved } from './usecases/revoke-removed.ts';
import { readVersion } from './version.ts';

/**
 * Part of the composition root: what is opened first and used by all others. `onFailure` is told how each is closed if
 * the start fails.
 */
export async function openFoundation(
  config: Config,
  logging: Logging,
  { clock = systemClock, ...overrides }: AppOverrides,
  onFailure: (close: () => unknown) => void,
) {
  const log = createLogger({ ...logging, level: config.logLevel });
  const version = readVersion();
  const { ring: keyRing, notes: keyNotes } = openKeyRing(config);
  const telemetry = await openTelemetry({ log, version, traces: config.traces, clock });
  onFailure(telemetry.close);
  overrides.onStep?.('Opening the database');
  const database = await openDatabase(
    overrides.database ? { begun: overrides.database } : config.database,
    {
      keyRing,
      clock,
      poolSize: config.databaseConnections,
      ...overrides.timeouts?.database,
      refreshLeaseMs: 2 * config.providerDeadlineMs + REFRESH_MARGIN_MS,
      ...reportTo(log),
      onUnreadable: (detail) => log.error({}, `stored secrets ${detail}`),
    },
  );
  onFailure(database.close);
  if (config.sandbox) overrides.onStep?.('Opening the sandbox');
  const joined = overrides.sandboxFacts && (await join(overrides.sandboxFacts));
  const own =
    config.sandbox && !overrides.sandbox && !joined
      ? await openOwnSandbox(config.sandbox)
      : undefined;
  if (own) onFailure(own.sandbox.close);
  const openedSandbox = overrides.sandbox ?? own?.sandbox;
  const sandbox = toUsedSandbox(openedSandbox ?? joined, config.sandbox?.all === true);
  const demo = sandbox && (await prepareDemo(database, sandbox, keyRing));
  const providers = createRegistry();
  const directions = toDirections(sandbox);
  const notes = [
    ...keyNotes,
    ...(own?.notes ?? []),
    ...(sandbox || !(await database.demoData.remove()) ? [] : [DEMO_REMOVED]),
    ...(sandbox || (await database.admin.listApplications()).length > 0 ? [] : [FIRST_STEP]),
    ...toRedirectNotes(config, listConnectable(config, { providers, directions })),
  ];
  const limits = await openLimits({
    ...config.limits,
    pages: config.pagesPerMinute,
    redis: config.redis,
    workers: overrides.sharedLimits,
    log,
    clock,
    hash: createKeyedHash(keyRing, 'address'),
  });
  onFailure(limits.close);
  return {
    config,
    clock,
    log,
    version,
    telemetry,
    keyRing,
    database,
    providers,
    limits,
    directions,
    notes,
    /** Undefined without the sandbox, like `demo`. */
    sandbox,
    /** The same, where it is of this process. */
    openedSandbox,
    demo,
    /** Whether webhooks may be sent by http: to this machine: to any port of it, so never in production. */
    mayLoopback: sandbox !== undefined && !config.production,
    memoryBytes: readMemoryLimit(overrides.workers),
    connections: createConnectionCache(clock),
    findOAuthClient: createFindOAuthClient({ config, database, directions }),
    close: () =>
      Promise.all([database.close(), own?.sandbox.close(), telemetry.close(), limits.close()]),
  };
}

/** Part of the composition root: calls to CRMs. */
export function openCalls(
  {
    config,
    clock,
    log,
    providers,
    limits,
    memoryBytes,
    directions,
    telemetry,
    ...foundation
  }: Foundation,
  { random }: Pick<AppOverrides, 'random'>,
) {
  const { metrics } = telemetry;
  const outbound = createOutbound({
    providers,
    clock,
    findOAuthClient: foundation.findOAuthClient,
    random,
    sandboxOrigins: directions.sandboxOrigins,
    sandboxAddresses: directions.sandboxAddresses,
    findSandboxLogin: directions.findSandboxOfLogin,
    settings: {
      deadlineMs: config.providerDeadlineMs,
      maxAnswerBytes: maxProviderResponseBytes(memoryBytes),
    },
    distributedRateLimits: limits.distributedRateLimits,
    onCall: telemetry.onCall,
    onLookup: metrics.lookup,
    onRestricted: metrics.restricted,
    onClockDifference: (difference) =>
      log.warn({ ...difference }, 'the clock of a CRM differs from ours'),
  });
  const revoke = (removed: RemovedConnection) =>
    revokeRemoved(
      { providers, revokeGrant: outbound.revokeGrant, onRevoked: metrics.revoked },
      removed,
    );
  return { outbound, revoke };
}

async function openOwnSandbox({ port, all }: NonNullable<Config['sandbox']>) {
  const { openSandboxNear } = await import('./demo/open-sandbox-near.ts');
  return openSandboxNear(port, all);
}

async function join(facts: SandboxFacts): Promise<JoinedSandbox> {
  const { joinSandbox } = await import('./demo/share-sandbox.ts');
  return joinSandbox(facts);
}

/** The demo's keys are derived from the key ring instead of stored: stable over restarts and unguessable. */
async function prepareDemo(
  database: Database,
  sandbox: JoinedSandbox,
  ring: KeyRing,
): Promise<Demo & { readonly adminKey: string }> {
  const key = `cbk_demo_${createKeyedHash(ring, 'demo key')('demo')}`;
  const adminKey = `cba_${createKeyedHash(ring, 'demo admin key')('demo')}`;
  await database.demoData.use();
  await database.admin.ensureApplication(DEMO_APPLICATION);
  await seedDemo(database.forApplication(DEMO_APPLICATION.id).customers, sandbox);
  return { key, adminKey, customerId: DEMO_CUSTOMER_ID };
}

/**
 * Finds OAuth clients. The sandbox has its own client and never receives a real secret; an application's client takes
 * precedence over the environment's.
 */
export function createFindOAuthClient({
  config,
  database,
  directions,
}: ClientSources): FindOAuthClient {
  return async ({ applicationId, provider, origin, clientId }) => {
    const simulated =
      directions.findSandboxOfLogin(origin)?.client ?? directions.findClient(origin);
    if (simulated) return simulated;
    const own = await database.forApplication(applicationId).oauthClients.find(provider);
    const known = [own, config.oauthClients[provider]].filter((client) => client !== undefined);
    return clientId === null ? known[0] : known.find((client) => client.clientId === clientId);
  };
}

/** Notes on the redirect URIs to register with the vendors, for own apps or the sandbox. */
function toRedirectNotes(
  { publicUrl, sandbox, oauthClients }: Config,
  providers: Iterable<Provider>,
): readonly string[] {
  if (!sandbox && Object.keys(oauthClients).length === 0) return [];
  if (publicUrl === undefined) return [NO_PUBLIC_URL];
  return listRedirectUris(publicUrl, providers).map(({ uri }) => `Redirect   ${uri}`);
}

/** Those in the sandbox, and those with an app in the environment: others would be lines about nothing. */
function listConnectable(
  { oauthClients }: Pick<Config, 'oauthClients'>,
  { providers, directions }: { readonly providers: Providers; readonly directions: Directions },
): readonly Provider[] {
  return [...providers.values()].filter(
    ({ name, authorization }) =>
      oauthClients[name] !== undefined ||
      (authorization && directions.toSandboxLogin(name, authorization.logins[0].origin)),
  );
}

const NO_PUBLIC_URL = 'Redirect   customers cannot be sent to a CRM: PUBLIC_URL is not set';

const DEMO_REMOVED =
  'Demo       the demo application and its data were removed: the sandbox is off';
/** The hint at a first start without API keys. */
const FIRST_STEP = `No keys    there is no application yet. Make one and its key: ${toOwnCommand('apps create NAME')}, ${toOwnCommand('keys create NAME')}`;
/**
 * Time for storing the new token after the deadlines of two calls: where an origin has moved, the declared alternative
 * is called too.
 */
const REFRESH_MARGIN_MS = 10_000;

export type { SandboxFacts };

export type Foundation = Awaited<ReturnType<typeof openFoundation>>;

export interface AppOverrides {
  /** For tests: an existing sandbox, which stays open when this application closes. Replicas share it. */
  readonly sandbox?: Sandbox | undefined;
  /** The sandbox of the supervisor of this worker. */
  readonly sandboxFacts?: SandboxFacts | undefined;
  /** The rate limits that the workers of one supervisor keep together. */
  readonly sharedLimits?: SharedLimits | undefined;
  /** Renders the metrics of all workers, in place of this process's. */
  readonly renderMetrics?: (() => Promise<string>) | undefined;
  /** For tests: the random source of jitter, from 0 to 1. */
  readonly random?: (() => number) | undefined;
  /** For tests: longer timeouts than those of production. */
  readonly timeouts?: TestTimeouts | undefined;
  /** For tests: shorter times than those of production. */
  readonly writeTimes?: Partial<WriteTimes> | undefined;
  /** For tests. */
  readonly clock?: Clock | undefined;
  /** The embedded database, where it is already starting. */
  readonly database?: BegunServer | undefined;
  /** The number of workers of one supervisor, which share the memory of the machine. */
  readonly workers?: number | undefined;
  /** Called with the current step of the start, for the operator. */
  readonly onStep?: ((step: string) => void) | undefined;
  /**
   * Yoga or Envelop plugins for GraphQL operations, by names of your choice. Plugins with unsupported hooks are
   * rejected.
   */
  readonly plugins?: Plugins | undefined;
  /** Tells the worker that does jobs that something may be due. */
  readonly announceWork?: (() => void) | undefined;
  /** The number of log lines that could not be written. */
  readonly countLostLines?: (() => number) | undefined;
}

interface TestTimeouts {
  readonly database: Tuning;
  readonly queueMs: number;
}

interface ClientSources {
  readonly config: Pick<Config, 'oauthClients'>;
  readonly database: Pick<Database, 'forApplication'>;
  readonly directions: Pick<Directions, 'findSandboxOfLogin' | 'findClient'>;
}
