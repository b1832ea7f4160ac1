import type { Config } from '../../config.ts';
import { type Provider, readApiSupport } from '../../domain/provider.ts';
import { listRedirectUris } from '../../domain/urls.ts';
import type { FailingEndpoint } from '../../domain/webhook.ts';
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
  if (config instanceof Error) return [{ subject: 'configuration', state: 'failed', detail: config.message }];
  const registry = createRegistry();
  const [database, redis, providers] = await Promise.all([
    examineStorage(config),
    checkRedis(config),
    checkProviders(registry.values(), context.fetch),
  ]);
  const versions = checkApiVersions(registry.values(), context.now());
  const configuration: Finding = { subject: 'configuration', state: 'ok', detail: describeConfig(config) };
  const redirects = checkRedirectUris(config.publicUrl, registry.values());
  return [configuration, ...database, ...redis, ...providers, ...versions, ...redirects];
}

async function examineStorage(config: Config): Promise<readonly Finding[]> {
  const ring = attempt(() => findKeyRing(config));
  if (ring instanceof Error) return [{ subject: 'keys', state: 'failed', detail: ring.message }];
  if (!ring) {
    const detail = `There are none in ${config.dataDirectory} yet: the first start makes them.`;
    return [{ subject: 'keys', state: 'warning', detail }];
  }
  const detail = `${ring.keys.size} in the ring; ${ring.current.id} seals`;
  return [
    { subject: 'keys', state: 'ok', detail },
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
    const state = endsSoon ? 'warning' : 'ok';
    const advice = endsSoon ? ': a newer Crossbook is needed' : '';
    const detail = `${version} ${isOver ? 'was' : 'is'} supported until ${supportedUntil}${advice}`;
    return { subject: `${provider} API`, state, detail };
  });
}

const OLDEST_POSTGRES = 15;

async function checkDatabase(target: Target, ring: KeyRing, sandbox: boolean): Promise<readonly Finding[]> {
  try {
    return describeDatabase(await inspectDatabase(target, ring), sandbox);
  } catch (error) {
    return [
      {
        subject: 'database',
        state: 'failed',
        detail: toReason(error),
      },
    ];
  }
}

function toWebhookFinding({ id, application, enabled, lastFailure }: FailingEndpoint): Finding {
  const state = enabled ? 'fails' : 'is disabled';
  return {
    subject: 'webhooks',
    state: 'warning',
    detail: `endpoint ${id} of ${application} ${state}: ${lastFailure}`,
  };
}

function describeDatabase(inspection: Inspection, sandbox: boolean): readonly Finding[] {
  if (!inspection.isThere) {
    return [
      { subject: 'database', state: 'warning', detail: 'It is not there yet: the first start makes it.' },
    ];
  }
  const { version, pendingMigrations, unreadableKeys } = inspection;
  const isOld = Number.parseInt(version, 10) < OLDEST_POSTGRES;
  const findings: Finding[] = [
    {
      subject: 'database',
      state: isOld ? 'warning' : 'ok',
      detail: `answers, version ${version}${isOld ? `: ${OLDEST_POSTGRES} or later is what we test with` : ''}`,
    },
  ];
  if (pendingMigrations.length > 0) {
    const detail = `${pendingMigrations.join(', ')}: the next start applies them`;
    return [...findings, { subject: 'migrations', state: 'warning', detail }];
  }
  if (inspection.hasDemo && !sandbox) {
    const detail = 'the demo application is there and counts for nothing: the next start removes it';
    findings.push({ subject: 'demo data', state: 'warning', detail });
  }
  return [
    ...findings,
    { subject: 'migrations', state: 'ok', detail: 'all applied' },
    ...inspection.failingEndpoints.map(toWebhookFinding),
    unreadableKeys.length > 0
      ? {
          subject: 'sealed data',
          state: 'failed',
          detail: `sealed with keys that the ring lacks, or has otherwise: ${unreadableKeys.join(', ')}`,
        }
      : { subject: 'sealed data', state: 'ok', detail: 'can be opened' },
  ];
}

/** Does the setting say what stands between this process and PostgreSQL? */
async function checkPooler(target: Target): Promise<readonly Finding[]> {
  if (!('url' in target)) return [];
  try {
    const finding = describePooler(await lookAtPooler(target.url), target.pooled === true);
    return finding ? [{ subject: 'pooler', ...finding }] : [];
  } catch (error) {
    return [{ subject: 'pooler', state: 'warning', detail: toReason(error) }];
  }
}

function describePooler(
  { sharesConnections, hasTimeouts }: PoolerState,
  pooled: boolean,
): Pick<Finding, 'state' | 'detail'> | undefined {
  if (!pooled) {
    if (!sharesConnections) return undefined;
    const detail = 'one in transaction mode is in between: CROSSBOOK_DATABASE_POOLER=transaction is missing';
    return { state: 'failed', detail };
  }
  if (!sharesConnections) {
    const detail =
      'none in transaction mode is in between: without CROSSBOOK_DATABASE_POOLER statements are prepared';
    return { state: 'warning', detail };
  }
  if (!hasTimeouts) {
    const detail = `the role has no timeouts of its own: ${SET_TIMEOUTS}`;
    return { state: 'warning', detail };
  }
  return { state: 'ok', detail: 'transaction mode' };
}

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
    return { subject, state: 'ok', detail: `${origin} answers (${status})` };
  } catch {
    return { subject, state: 'warning', detail: `${origin} cannot be reached from here` };
  }
}

/** What is to be registered with each vendor, to be copied from here. Without PUBLIC_URL links cannot be made: a warning. */
function checkRedirectUris(publicUrl: string | undefined, providers: Iterable<Provider>): readonly Finding[] {
  if (publicUrl === undefined) {
    const detail = 'PUBLIC_URL is not set: customers cannot be sent to a CRM by a link';
    return [{ subject: 'redirect URIs', state: 'warning', detail }];
  }
  return listRedirectUris(publicUrl, providers).map(({ provider, uri }) => ({
    ...{ subject: `${provider} redirect URI`, state: 'ok', detail: uri },
  }));
}

/** Away it is no more than a warning: serving goes on, each process with limits of its own. */
async function checkRedis({ redis }: Pick<Config, 'redis'>): Promise<readonly Finding[]> {
  if (!redis) return [];
  // Without the password that the URL may have.
  const { host } = new URL(redis.url);
  try {
    await pingRedis(redis.url);
    return [{ subject: 'redis', state: 'ok', detail: `${host} answers` }];
  } catch (error) {
    const reason = toReason(error);
    const detail = `${host} cannot be used: ${reason}. Limits are not shared until it can.`;
    return [{ subject: 'redis', state: 'warning', detail }];
  }
}

/** What was looked at, and how it is. */
interface Finding {
  readonly subject: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
}
