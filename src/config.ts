import type * as z from 'zod';
import { PROVIDER_NAMES, type ProviderName } from './domain/provider-names.ts';
import type { OAuthClient } from './domain/token-refresh.ts';
import { toBasePath } from './domain/urls.ts';
import { toDatabaseDirectory } from './lib/data-directory.ts';
import { type HostEntry, isListed, LOOPBACK_HOSTS } from './lib/host-list.ts';
import { type Group, SETTINGS, type Setting } from './settings.ts';

/** Reads the environment, and is the only place that does. One error lists every mistake. */
export function readConfig(env: Env): Config {
  const settings = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const mistakes: string[] = [];
  const values = readGroup(SETTINGS, settings, mistakes) as Values<typeof SETTINGS>;
  mistakes.push(...findUnknown(settings).map((name) => `${name}: unknown setting`));
  mistakes.push(...findHalfClients(settings));
  if (values.mcp?.issuer !== undefined && settings['PUBLIC_URL'] === undefined)
    mistakes.push('CROSSBOOK_MCP_ISSUER: needs PUBLIC_URL');
  if (
    values.console?.enabled &&
    !(values.sandboxed ?? isNothingReal(values)) &&
    values.adminKeyHash === undefined
  )
    mistakes.push('CROSSBOOK_CONSOLE: needs CROSSBOOK_ADMIN_KEY_HASH');
  mistakes.push(...findUnlistedHosts(values));
  if (mistakes.length > 0)
    throw new ConfigError(`Invalid settings:\n${mistakes.map((one) => `  ${one}`).join('\n')}`);
  return Object.freeze(toConfig(values, settings));
}

/** Its message is for the operator, without a stack trace. */
class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** All settings in the order of the table. */
export function listSettings(group: Group = SETTINGS): readonly Setting[] {
  return Object.values(group).flatMap((one) => (isSetting(one) ? [one] : listSettings(one)));
}

function readGroup(group: Group, env: Env, mistakes: string[]): object {
  const read = Object.entries(group).map(([place, one]) => {
    if (!isSetting(one)) return [place, readGroup(one, env, mistakes)];
    const parsed = one.schema.safeParse(env[one.name]);
    mistakes.push(...(parsed.error?.issues ?? []).map(({ message }) => `${one.name}: ${message}`));
    return [place, parsed.data];
  });
  return Object.fromEntries(read);
}

function isSetting(one: Setting | Group): one is Setting {
  return 'schema' in one;
}

/** Derives the configuration from several settings. */
function toConfig(values: Values<typeof SETTINGS>, env: Env) {
  const {
    mode,
    databaseUrl,
    databasePooler,
    redisUrl,
    sandboxed,
    sandboxHosts,
    sandboxPort,
    sandboxAll,
    syncHosts,
    syncPlainHosts,
    ...rest
  } = values;
  const production = mode === 'production';
  const isLocal = LOOPBACK.test(values.host);
  const { endpoint, ...traces } = values.traces;
  const database:
    | { readonly url: string; readonly pooler?: typeof databasePooler }
    | { readonly directory: string } = databaseUrl
    ? { url: databaseUrl, pooler: databasePooler }
    : { directory: toDatabaseDirectory(values.dataDirectory) };
  const { enabled: mcpEnabled, ...mcp } = values.mcp;
  const { enabled: consoleEnabled, contacts } = values.console;
  const sandbox = sandboxed ?? isNothingReal(values);
  // Unknown yet where any free port is used.
  const publicUrl =
    values.publicUrl ??
    (isLocal && values.port !== 0 ? `http://localhost:${values.port}` : undefined);
  return {
    ...rest,
    production,
    /** Undefined: there is no MCP server. */
    mcp: (mcpEnabled ?? sandbox) ? mcp : undefined,
    publicUrl,
    /** The path of the public URL: empty, or such as `/crossbook`. */
    basePath: toBasePath(publicUrl),
    /** Undefined: there is no console. `contacts`: whether it may read customers' records. */
    console: (consoleEnabled ?? sandbox) ? { contacts: contacts ?? sandbox } : undefined,
    /** A PostgreSQL server, or the folder of the embedded one. */
    database,
    /** `hosts`: allowed host names in addition to this machine's. */
    sandbox: sandbox ? { port: sandboxPort, hosts: sandboxHosts, all: sandboxAll } : undefined,
    syncHosts: toSyncHosts({ syncHosts, syncPlainHosts }, sandbox && !production),
    // Public like the API, so production must enable it explicitly.
    metrics: values.metrics ?? !production,
    /** Undefined: each process counts its limits alone. */
    redis: redisUrl === undefined ? undefined : { url: redisUrl, prefix: 'crossbook:' },
    bounds: {
      ...values.bounds,
      maxConnectionsPerAddress: Math.ceil(values.bounds.maxConnections / 2),
    },
    /** Undefined: traces are not exported. */
    traces: endpoint === undefined ? undefined : { endpoint, ...traces },
    oauthClients: readOAuthClients(env),
  };
}

/** Then the sandbox is on by default. */
function isNothingReal({ mode, databaseUrl, host = '' }: Partial<Values<typeof SETTINGS>>) {
  return mode !== 'production' && databaseUrl === undefined && LOOPBACK.test(host);
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** The servers that syncs may write to. Where the operator lists none, the demo may write to this machine. */
function toSyncHosts(
  { syncHosts, syncPlainHosts = [] }: Pick<Values<typeof SETTINGS>, 'syncHosts' | 'syncPlainHosts'>,
  isDemo: boolean,
): SyncHosts {
  if (syncHosts === undefined && isDemo) return { allowed: LOOPBACK_HOSTS, plain: LOOPBACK_HOSTS };
  return { allowed: syncHosts ?? [], plain: syncPlainHosts };
}

function findUnlistedHosts({
  syncHosts = [],
  syncPlainHosts = [],
}: Partial<Values<typeof SETTINGS>>): string[] {
  const unlisted = syncPlainHosts.filter((entry) => !isListed(syncHosts, entry));
  return unlisted.map(
    ({ host, port }) =>
      `CROSSBOOK_SYNC_PLAIN_HOSTS: ${host}:${port} must be in CROSSBOOK_SYNC_HOSTS, too`,
  );
}

/** The installation's OAuth clients by provider. */
function readOAuthClients(env: Env): Partial<Record<ProviderName, OAuthClient>> {
  const read = CLIENTS.flatMap(({ provider, id, secret }) => {
    const [clientId, clientSecret] = [env[id], env[secret]];
    return clientId && clientSecret ? [[provider, { clientId, clientSecret }]] : [];
  });
  return Object.fromEntries(read);
}

function findHalfClients(env: Env): string[] {
  return CLIENTS.filter(
    ({ id, secret }) => (env[id] === undefined) !== (env[secret] === undefined),
  ).map(({ id, secret }) => `${id}, ${secret}: must be given together`);
}

/** Rejects unknown settings, because a misspelt one would silently be ignored. */
function findUnknown(env: Env): string[] {
  const known = new Set([
    ...listSettings().map(({ name }) => name),
    ...CLIENTS.flatMap(({ id, secret }) => [id, secret]),
    ...OF_APPLICATIONS,
  ]);
  return Object.keys(env).filter((name) => name.startsWith('CROSSBOOK_') && !known.has(name));
}

/** What applications and the samples of the documents read: a shell may have them when it runs this command. */
const OF_APPLICATIONS = ['CROSSBOOK_URL', 'CROSSBOOK_API_KEY', 'CROSSBOOK_WEBHOOK_SECRET'];

const CLIENTS = PROVIDER_NAMES.map((provider) => {
  const name = `CROSSBOOK_${provider.toUpperCase()}_CLIENT`;
  return { provider, id: `${name}_ID`, secret: `${name}_SECRET` };
});

export type Config = Readonly<ReturnType<typeof toConfig>>;

/** The servers that syncs may write to, and those of them that need no TLS. */
interface SyncHosts {
  readonly allowed: readonly HostEntry[];
  readonly plain: readonly HostEntry[];
}

type Values<G extends Group> = {
  readonly [Key in keyof G]: G[Key] extends Setting<infer Schema>
    ? z.output<Schema>
    : G[Key] extends Group
      ? Values<G[Key]>
      : never;
};

export type Env = Readonly<Record<string, string | undefined>>;
