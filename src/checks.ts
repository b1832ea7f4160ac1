import type { Config } from './config.ts';
import { type Provider, readApiSupport } from './domain/provider.ts';
import { listRedirectUris } from './domain/urls.ts';
import { toReason } from './lib/output.ts';
import { parseRedisUrl } from './lib/redis-url.ts';
import { pingRedis } from './limits/redis.ts';
import { createRegistry } from './providers/registry.ts';
import { describeUnreadable } from './storage/database.ts';
import { type Inspection, inspectDatabase, lookAtPooler } from './storage/inspect.ts';
import { findKeyRing, type KeyRing } from './storage/key-ring.ts';
import { describeClientSetup } from './usecases/connect-link.ts';
import { JOBS_MISSING_SECONDS, START_JOBS } from './usecases/watch-jobs.ts';

/**
 * Checks the configuration, the keys, the database, Redis, the connection to the providers and their API versions.
 * Changes nothing. Without `fetch` no provider is called.
 */
export async function examine(config: Config, { fetch, now }: ExamineOptions): Promise<Findings> {
  const providers = [...createRegistry().values()];
  const { production, host, port, sandbox } = config;
  const mode = production ? 'production' : 'development';
  const found = await Promise.all([
    [ok('configuration', `${mode}, ${host}:${port}, sandbox ${sandbox ? 'on' : 'off'}`)],
    checkStorage(config),
    checkRedis(config),
    Promise.all(providers.flatMap((provider) => (fetch && checkProvider(provider, fetch)) ?? [])),
    checkApiVersions(providers, now),
    checkRedirectUris(config, providers),
  ]);
  return found.flat();
}

/** Runs a check; if it throws, the reason is the finding. */
async function attempt(toFinding: typeof failed, subject: string, check: () => Promise<Findings>) {
  try {
    return await check();
  } catch (error) {
    return [toFinding(subject, toReason(error))];
  }
}

function checkStorage(config: Config): Promise<Findings> {
  return attempt(failed, 'keys', async () => {
    const ring = findKeyRing(config);
    if (!ring)
      return [
        warning(
          'keys',
          `There are none in ${config.dataDirectory} yet: the first start creates them.`,
        ),
      ];
    const database = await attempt(failed, 'database', async () =>
      describeDatabase(await inspectDatabase(config.database, ring), config, ring),
    );
    const pooler = await attempt(warning, 'pooler', () => checkPooler(config.database));
    return [ok('keys', describeKeys(ring)), ...database, ...pooler];
  });
}

function describeKeys({ keys, current }: KeyRing): string {
  const count = keys.size === 1 ? '1 key' : `${keys.size} keys`;
  return `${count}; ${current.id} encrypts what is stored`;
}

const OLDEST_POSTGRES = 15;

function describeDatabase(inspection: Inspection, config: Config, ring: KeyRing): Findings {
  if (!inspection.isThere)
    return [warning('database', 'It does not exist yet: the first start creates it.')];
  const { version, pendingMigrations, unreadableKeys } = inspection;
  const isOld = Number.parseInt(version, 10) < OLDEST_POSTGRES;
  const database = isOld
    ? warning(
        'database',
        `responds, version ${version}: Crossbook is tested with ${OLDEST_POSTGRES} or later`,
      )
    : ok('database', `responds, version ${version}`);
  if (pendingMigrations.length > 0)
    return [
      database,
      warning('migrations', `${pendingMigrations.join(', ')}: the next start applies them`),
    ];
  return [
    database,
    ...(inspection.hasDemo && !config.sandbox ? [warning('demo data', DEMO_LEFT)] : []),
    ok('migrations', 'all applied'),
    checkJobs(inspection.jobsAge),
    ...inspection.failingEndpoints.map(({ id, application, enabled, lastFailure }) => {
      const state = enabled ? 'fails' : 'is disabled';
      return warning('webhooks', `endpoint ${id} of ${application} ${state}: ${lastFailure}`);
    }),
    ...checkClients(config, inspection.clientsOf),
    unreadableKeys.length > 0
      ? failed('sealed data', `stored secrets ${describeUnreadable(unreadableKeys, ring)}`)
      : ok('sealed data', 'can be opened'),
  ];
}

function checkJobs(age: number | undefined): Finding {
  if (age !== undefined && age < JOBS_MISSING_SECONDS)
    return ok('jobs', 'a process is running them');
  const since = age === undefined ? 'yet' : `for ${Math.round(age / 60)} minutes`;
  return warning('jobs', `No process has done jobs ${since}: ${START_JOBS}`);
}

/** Without an OAuth client no customer can be connected; for a trial the sandbox has its own. */
function checkClients(
  { production, oauthClients }: Config,
  clientsOf: readonly string[],
): Findings {
  if (!production) return [];
  return [...createRegistry().values()]
    .filter(
      ({ name, authorization }) =>
        authorization && !oauthClients[name] && !clientsOf.includes(name),
    )
    .map(({ name }) => warning(`${name} OAuth client`, `not set up: ${describeClientSetup(name)}`));
}

const DEMO_LEFT =
  'the demo application still exists, but is not accepted: the next start removes it';

/** Checks whether the pooler setting matches what is between this process and PostgreSQL. */
async function checkPooler(target: Config['database']): Promise<Findings> {
  if (!('url' in target)) return [];
  const { sharesConnections, hasTimeouts } = await lookAtPooler(target.url);
  const { pooler = 'none' } = target;
  if (pooler !== 'transaction') return sharesConnections ? [failed('pooler', POOLER_NOT_SET)] : [];
  if (!sharesConnections) return [warning('pooler', NO_POOLER)];
  if (!hasTimeouts)
    return [warning('pooler', `the role has no timeouts of its own: ${SET_TIMEOUTS}`)];
  return [ok('pooler', 'transaction mode')];
}

const POOLER_NOT_SET =
  'a pooler in transaction mode is in use, but CROSSBOOK_DATABASE_POOLER is not transaction';
const NO_POOLER =
  'no pooler in transaction mode is in use: without CROSSBOOK_DATABASE_POOLER, statements are prepared';
const SET_TIMEOUTS = `alter role … set lock_timeout = '500ms'; alter role … set statement_timeout = '10s'`;

/** An unreachable Redis is only a warning: each process then limits by itself. */
async function checkRedis({ redis }: Config): Promise<Findings> {
  if (!redis) return [];
  const { place = '' } = parseRedisUrl(redis.url) ?? {};
  try {
    await pingRedis(redis.url);
    return [ok('redis', `${place} responds`)];
  } catch (error) {
    const reason = toReason(error);
    return [
      warning('redis', `${place} cannot be used: ${reason}. Limits are not shared until it can.`),
    ];
  }
}

/**
 * Any response means that the provider is reachable. Otherwise a warning, because serving continues. Undefined: the
 * provider has only customer-specific addresses.
 */
function checkProvider({ name, crm }: Provider, ask: typeof fetch): Promise<Finding> | undefined {
  const origin = crm?.origin(null) ?? crm?.refresh.origin(null);
  return origin === undefined
    ? undefined
    : ask(origin, {
        method: 'HEAD',
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).then(
        ({ status }) => ok(name, `${origin} responds (${status})`),
        () => warning(name, `${origin} cannot be reached from here`),
      );
}

const TIMEOUT_MS = 5_000;

/** An expired API version usually keeps working for a while: a warning. */
function checkApiVersions(providers: Iterable<Provider>, now: number): Findings {
  return readApiSupport(providers, now).map(
    ({ provider, version, supportedUntil, endsSoon, isOver }) => {
      const support = `${version} ${isOver ? 'was' : 'is'} supported until ${supportedUntil}`;
      const subject = `${provider} API`;
      return endsSoon
        ? warning(subject, `${support}: a newer Crossbook is needed`)
        : ok(subject, support);
    },
  );
}

/**
 * The redirect URIs to register with each vendor. Without PUBLIC_URL connect links are disabled or, if Crossbook
 * listens on this machine only, lead there: a warning. Only an address of this machine may be http.
 */
function checkRedirectUris(
  { production, publicUrl }: Config,
  providers: Iterable<Provider>,
): Findings {
  if (publicUrl === undefined || (production && publicUrl.startsWith('http:')))
    return [warning('redirect URIs', NOT_PUBLIC)];
  return listRedirectUris(publicUrl, providers).map(({ provider, uri }) =>
    ok(`${provider} redirect URI`, uri),
  );
}

const NOT_PUBLIC =
  'PUBLIC_URL is not set, or names this machine: customers cannot be sent to a CRM by a link. Set it to the https address that browsers use';

const finding = (state: 'ok' | 'warning' | 'failed') => (subject: string, detail: string) => ({
  subject,
  state,
  detail,
});
const ok = finding('ok');
const warning = finding('warning');
export const failed = finding('failed');

type Findings = readonly Finding[];

/** A check and its result. */
export type Finding = ReturnType<typeof ok>;

interface ExamineOptions {
  readonly fetch: typeof fetch | undefined;
  /** Wall-clock time. */
  readonly now: number;
}
