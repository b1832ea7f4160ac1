import type { Config } from '../../config.ts';
import type { FailingEndpoint } from '../../domain/event.ts';
import { type Provider, readApiSupport } from '../../domain/provider.ts';
import { listRedirectUris } from '../../domain/urls.ts';
import { toReason } from '../../lib/to-reason.ts';
import { pingRedis } from '../../limits/redis.ts';
import { createRegistry } from '../../providers/registry.ts';
import type { Target } from '../../storage/engine/open.ts';
import { type Inspection, inspectDatabase, lookAtPooler, type PoolerState } from '../../storage/inspect.ts';
import { findKeyRing, type KeyRing } from '../../storage/sealing/key-ring.ts';
import { type Command, type CommandContext, toTable } from '../command.ts';

const MARKS = { ok: 'ok', warning: 'warning', failed: 'FAILED' } as const;

export const doctor: Command = {
  name: 'doctor',
  summary:
    'Checks the configuration, the keys, the database, Redis, the way to the providers and their API versions.',
  details: ['It changes nothing. Exit code 1 where something failed; a warning alone is none.'],
  run: async (context) => {
    const findings = await examine(context);
    return {
      data: findings,
      text: toTable(findings.map(({ state, subject, detail }) => [MARKS[state], subject, detail])),
      failed: findings.some(({ state }) => state === 'failed'),
    };
  },
};

async function examine(context: CommandContext): Promise<readonly Finding[]> {
  const config = attempt(() => context.readConfig());
  if (config instanceof Error) return [failed('configuration', config.message)];
  const registry = createRegistry();
  const [database, redis, providers] = await Promise.all([
    examineStorage(config),
    checkRedis(config),
    checkProviders(registry.values(), context.fetch),
  ]);
  const versions = checkApiVersions(registry.values(), context.now());
  const redirects = checkRedirectUris(config.publicUrl, registry.values());
  const configuration = ok('configuration', describeConfig(config));
  return [configuration, ...database, ...redis, ...providers, ...versions, ...redirects];
}

async function examineStorage(config: Config): Promise<readonly Finding[]> {
  const ring = attempt(() => findKeyRing(config));
  if (ring instanceof Error) return [failed('keys', ring.message)];
  if (!ring)
    return [warning('keys', `There are none in ${config.dataDirectory} yet: the first start makes them.`)];
  return [
    ok('keys', `${ring.keys.size} in the ring; ${ring.current.id} seals`),
    ...(await checkDatabase(config.database, ring, config.sandbox !== undefined)),
    ...(await checkPooler(config.database)),
  ];
}

function describeConfig({ production, host, port, sandbox }: Config): string {
  return `${production ? 'production' : 'development'}, ${host}:${port}, sandbox ${sandbox ? 'on' : 'off'}`;
}

function attempt<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error : new Error(toReason(error));
  }
}

/** A version that has ended mostly answers on for a while: a warning, no failure. */
function checkApiVersions(providers: Iterable<Provider>, now: number): readonly Finding[] {
  return readApiSupport(providers, now).map(({ provider, version, supportedUntil, endsSoon, isOver }) => {
    const support = `${version} ${isOver ? 'was' : 'is'} supported until ${supportedUntil}`;
    const subject = `${provider} API`;
    return endsSoon ? warning(subject, `${support}: a newer Crossbook is needed`) : ok(subject, support);
  });
}

const OLDEST_POSTGRES = 15;

async function checkDatabase(target: Target, ring: KeyRing, sandbox: boolean): Promise<readonly Finding[]> {
  try {
    return describeDatabase(await inspectDatabase(target, ring), sandbox);
  } catch (error) {
    return [failed('database', toReason(error))];
  }
}

function toWebhookFinding({ id, application, enabled, lastFailure }: FailingEndpoint): Finding {
  const state = enabled ? 'fails' : 'is disabled';
  return warning('webhooks', `endpoint ${id} of ${application} ${state}: ${lastFailure}`);
}

function describeDatabase(inspection: Inspection, sandbox: boolean): readonly Finding[] {
  if (!inspection.isThere) return [warning('database', 'It is not there yet: the first start makes it.')];
  const { version, pendingMigrations, unreadableKeys } = inspection;
  const isOld = Number.parseInt(version, 10) < OLDEST_POSTGRES;
  const database = isOld
    ? warning('database', `answers, version ${version}: ${OLDEST_POSTGRES} or later is what we test with`)
    : ok('database', `answers, version ${version}`);
  if (pendingMigrations.length > 0)
    return [database, warning('migrations', `${pendingMigrations.join(', ')}: the next start applies them`)];
  const missing = `sealed with keys that the ring lacks, or has otherwise: ${unreadableKeys.join(', ')}`;
  return [
    database,
    ...(inspection.hasDemo && !sandbox ? [warning('demo data', DEMO_LEFT)] : []),
    ok('migrations', 'all applied'),
    ...inspection.failingEndpoints.map(toWebhookFinding),
    unreadableKeys.length > 0 ? failed('sealed data', missing) : ok('sealed data', 'can be opened'),
  ];
}

const DEMO_LEFT = 'the demo application is there and counts for nothing: the next start removes it';

/** Does the setting say what stands between this process and PostgreSQL? */
async function checkPooler(target: Target): Promise<readonly Finding[]> {
  if (!('url' in target)) return [];
  try {
    return describePooler(await lookAtPooler(target.url), target.pooled === true);
  } catch (error) {
    return [warning('pooler', toReason(error))];
  }
}

function describePooler(
  { sharesConnections, hasTimeouts }: PoolerState,
  pooled: boolean,
): readonly Finding[] {
  if (!pooled) return sharesConnections ? [failed('pooler', POOLER_NOT_SET)] : [];
  if (!sharesConnections) return [warning('pooler', NO_POOLER)];
  if (!hasTimeouts) return [warning('pooler', `the role has no timeouts of its own: ${SET_TIMEOUTS}`)];
  return [ok('pooler', 'transaction mode')];
}

const POOLER_NOT_SET =
  'one in transaction mode is in between: CROSSBOOK_DATABASE_POOLER=transaction is missing';
const NO_POOLER =
  'none in transaction mode is in between: without CROSSBOOK_DATABASE_POOLER statements are prepared';
const SET_TIMEOUTS = `alter role … set lock_timeout = '500ms'; alter role … set statement_timeout = '10s'`;

const TIMEOUT_MS = 5_000;

/** Any answer will do: it says that the way is open. Without one there is a warning, because serving goes on. */
async function checkProviders(providers: Iterable<Provider>, ask: typeof fetch): Promise<readonly Finding[]> {
  return Promise.all([...providers].flatMap((provider) => toCheck(provider, ask) ?? []));
}

/** Providers that have no address but their customers' own are not looked for. */
function toCheck({ name, contacts }: Provider, ask: typeof fetch): Promise<Finding> | undefined {
  const origin = contacts?.origin(null) ?? contacts?.refresh.origin(null);
  return origin === undefined ? undefined : reach(name, origin, ask);
}

async function reach(subject: string, origin: string, ask: typeof fetch): Promise<Finding> {
  try {
    const { status } = await ask(origin, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return ok(subject, `${origin} answers (${status})`);
  } catch {
    return warning(subject, `${origin} cannot be reached from here`);
  }
}

/** What is to be registered with each vendor, to be copied from here. Without PUBLIC_URL links cannot be made: a warning. */
function checkRedirectUris(publicUrl: string | undefined, providers: Iterable<Provider>): readonly Finding[] {
  if (publicUrl === undefined)
    return [warning('redirect URIs', 'PUBLIC_URL is not set: customers cannot be sent to a CRM by a link')];
  return listRedirectUris(publicUrl, providers).map(({ provider, uri }) =>
    ok(`${provider} redirect URI`, uri),
  );
}

/** Away it is no more than a warning: serving goes on, each process with limits of its own. */
async function checkRedis({ redis }: Pick<Config, 'redis'>): Promise<readonly Finding[]> {
  if (!redis) return [];
  // Without the password that the URL may have.
  const { host } = new URL(redis.url);
  try {
    await pingRedis(redis.url);
    return [ok('redis', `${host} answers`)];
  } catch (error) {
    const reason = toReason(error);
    return [warning('redis', `${host} cannot be used: ${reason}. Limits are not shared until it can.`)];
  }
}

const ok = (subject: string, detail: string): Finding => ({ subject, state: 'ok', detail });
const warning = (subject: string, detail: string): Finding => ({ subject, state: 'warning', detail });
const failed = (subject: string, detail: string): Finding => ({ subject, state: 'failed', detail });

/** What was looked at, and how it is. */
interface Finding {
  readonly subject: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
}
