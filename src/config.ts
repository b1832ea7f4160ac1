import * as z from 'zod';
import type { OAuthClient } from './domain/provider.ts';
import { PROVIDER_NAMES, type ProviderName } from './domain/provider-names.ts';
import { toPublicUrl } from './domain/public-url.ts';
import { DATA_DIRECTORY, toDatabaseDirectory } from './lib/data-directory.ts';

/** The only reader of the environment. It fails once, and names every mistake. */
export function readConfig(env: Env): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = shape.safeParse(given);
  const mistakes = [
    ...(parsed.success
      ? []
      : parsed.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`)),
    ...findUnknown(given).map((name) => `  ${name}: there is no such setting`),
    ...findHalfClients(given),
  ];
  if (!parsed.success || mistakes.length > 0)
    throw new ConfigError(`The environment is not right:\n${mistakes.join('\n')}`);
  return Object.freeze(toConfig(parsed.data, given));
}

/** Its message is for the person at the terminal: no stack is needed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const onOff = z.enum(['on', 'off'], 'must be on or off').transform((value) => value === 'on');
const wholeNumber = (lowest: number, highest: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= lowest && value <= highest, `must be from ${lowest} to ${highest}`);
const pathPrefix = z
  .string()
  .regex(/^(\/[A-Za-z0-9._~-]+)+$/, 'must be a path such as /crm/v2, without a slash at the end');

/** `name=value,name=value`, percent-encoded, as OpenTelemetry has it. */
const otlpHeaders = z
  .string()
  .regex(/^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/, 'must be name=value pairs with commas between them')
  .transform((text) => Object.fromEntries(text.split(',').map(readPair)));

const hostNames = z
  .string()
  .regex(/^[\w.-]+(,[\w.-]+)*$/, 'must be host names with commas between them, without ports')
  .transform((text) => text.split(','));

const typePrefix = z
  .string()
  .regex(/^[A-Z][A-Za-z0-9]{0,29}_?$/, 'must be the beginning of a type name such as Crm or Crm_');

const publicUrl = z
  .string()
  .transform((text) => toPublicUrl(text) ?? '')
  .refine(
    (url) => url !== '',
    'must be an origin such as https://crossbook.example; http only on this machine',
  );

const shape = z.object({
  NODE_ENV: z.string().default('development'),
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(4000),
  PUBLIC_URL: publicUrl.optional(),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent')
    .default('info'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')
    .optional(),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\//, 'must be a redis:// or rediss:// URL')
    .optional(),
  CROSSBOOK_DATABASE_CONNECTIONS: wholeNumber(1, 1_000).default(10),
  CROSSBOOK_DATABASE_POOLER: z.enum(['none', 'transaction'], 'must be none or transaction').default('none'),
  CACHE_MAX_AGE: wholeNumber(0, 86_400).default(900),
  CROSSBOOK_DATA: z.string().default(DATA_DIRECTORY),
  CROSSBOOK_KEYS: z.string().optional(),
  CROSSBOOK_ADMIN_KEY_HASH: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be the hash that the command keys admin prints')
    .optional(),
  CROSSBOOK_SANDBOX: onOff.optional(),
  CROSSBOOK_HOSTS: hostNames.default([]),
  CROSSBOOK_SANDBOX_PORT: wholeNumber(0, 65_534).default(4010),
  CROSSBOOK_GRAPHIQL: onOff.default(true),
  CROSSBOOK_GRAPHQL_TYPE_PREFIX: typePrefix.optional(),
  CROSSBOOK_OPERATIONS: z.string().optional(),
  CROSSBOOK_INTROSPECTION: onOff.default(true),
  CROSSBOOK_STRANGERS: onOff.default(true),
  CROSSBOOK_RESPONSE_MEGABYTES: wholeNumber(1, 256).default(16),
  CROSSBOOK_PROVIDER_DEADLINE_MS: wholeNumber(100, 120_000).default(10_000),
  CROSSBOOK_METRICS: onOff.optional(),
  CROSSBOOK_REQUESTS_PER_MINUTE: wholeNumber(0, 1_000_000_000).default(600_000),
  CROSSBOOK_TOKEN_REQUESTS_PER_MINUTE: wholeNumber(0, 1_000_000_000).default(6_000),
  CROSSBOOK_GUESSES_PER_MINUTE: wholeNumber(0, 1_000_000_000).default(300),
  CROSSBOOK_PAGES_PER_MINUTE: wholeNumber(0, 1_000_000_000).default(300),
  CROSSBOOK_TRUSTED_PROXIES: wholeNumber(0, 10).default(0),
  CROSSBOOK_CACHE_MEGABYTES: wholeNumber(1, 1_000_000).default(64),
  CROSSBOOK_MAX_REQUESTS: wholeNumber(1, 100_000).default(32),
  CROSSBOOK_MAX_STRANGER_REQUESTS: wholeNumber(1, 100_000).default(20),
  CROSSBOOK_MEMORY_MEGABYTES: wholeNumber(16, 1_000_000).optional(),
  CROSSBOOK_MAX_CONNECTIONS: wholeNumber(1, 1_000_000).default(10_000),
  CROSSBOOK_HEADERS_TIMEOUT_MS: wholeNumber(100, 600_000).default(20_000),
  CROSSBOOK_REQUEST_TIMEOUT_MS: wholeNumber(100, 600_000).default(30_000),
  CROSSBOOK_KEEP_ALIVE_MS: wholeNumber(0, 3_600_000).default(75_000),
  CROSSBOOK_SHUTDOWN_MS: wholeNumber(0, 3_600_000).default(20_000),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/, error: 'must be a http(s):// URL' }).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders.default({}),
  OTEL_SERVICE_NAME: z.string().default('crossbook'),
  CROSSBOOK_CONTACTS_PREFIX: pathPrefix.optional(),
  CROSSBOOK_CUSTOMERS_PREFIX: pathPrefix.optional(),
});

function readPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
}

/** Where the sandbox is on unless somebody says otherwise. */
function isNothingReal({ NODE_ENV, DATABASE_URL, HOST }: z.infer<typeof shape>): boolean {
  return NODE_ENV !== 'production' && DATABASE_URL === undefined && LOOPBACK.test(HOST);
}

/** For the browser of whoever tries it here. The port that is any free one is not known yet. */
function toOwnUrl({ HOST, PORT }: z.infer<typeof shape>): string | undefined {
  return LOOPBACK.test(HOST) && PORT !== 0 ? `http://localhost:${PORT}` : undefined;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

function toConfig(env: z.infer<typeof shape>, given: Given): Config {
  const production = env.NODE_ENV === 'production';
  return {
    production,
    host: env.HOST,
    port: env.PORT,
    publicUrl: env.PUBLIC_URL ?? toOwnUrl(env),
    logLevel: env.LOG_LEVEL,
    database: env.DATABASE_URL
      ? { url: env.DATABASE_URL, pooled: env.CROSSBOOK_DATABASE_POOLER === 'transaction' }
      : { directory: toDatabaseDirectory(env.CROSSBOOK_DATA) },
    databaseConnections: env.CROSSBOOK_DATABASE_CONNECTIONS,
    dataDirectory: env.CROSSBOOK_DATA,
    keys: env.CROSSBOOK_KEYS,
    adminKeyHash: env.CROSSBOOK_ADMIN_KEY_HASH,
    cacheMaxAgeMs: env.CACHE_MAX_AGE * 1000,
    sandbox:
      (env.CROSSBOOK_SANDBOX ?? isNothingReal(env))
        ? { port: env.CROSSBOOK_SANDBOX_PORT, hosts: env.CROSSBOOK_HOSTS }
        : undefined,
    graphiql: env.CROSSBOOK_GRAPHIQL,
    typePrefix: env.CROSSBOOK_GRAPHQL_TYPE_PREFIX,
    introspection: env.CROSSBOOK_INTROSPECTION,
    strangers: env.CROSSBOOK_STRANGERS,
    maxResponseBytes: env.CROSSBOOK_RESPONSE_MEGABYTES * 1_048_576,
    operations: env.CROSSBOOK_OPERATIONS,
    providerDeadlineMs: env.CROSSBOOK_PROVIDER_DEADLINE_MS,
    // Reachable by whoever reaches the API: in production that is decided, not found out.
    metrics: env.CROSSBOOK_METRICS ?? !production,
    limits: {
      perKey: env.CROSSBOOK_REQUESTS_PER_MINUTE,
      perToken: env.CROSSBOOK_TOKEN_REQUESTS_PER_MINUTE,
      guesses: env.CROSSBOOK_GUESSES_PER_MINUTE,
    },
    pagesPerMinute: env.CROSSBOOK_PAGES_PER_MINUTE,
    redis: env.REDIS_URL === undefined ? undefined : { url: env.REDIS_URL, prefix: 'crossbook:' },
    proxies: env.CROSSBOOK_TRUSTED_PROXIES,
    maxCacheBytes: env.CROSSBOOK_CACHE_MEGABYTES * 1_048_576,
    maxRequests: env.CROSSBOOK_MAX_REQUESTS,
    maxStrangers: env.CROSSBOOK_MAX_STRANGER_REQUESTS,
    maxHeldBytes: env.CROSSBOOK_MEMORY_MEGABYTES && env.CROSSBOOK_MEMORY_MEGABYTES * 1_048_576,
    bounds: {
      maxConnections: env.CROSSBOOK_MAX_CONNECTIONS,
      maxConnectionsPerAddress: Math.ceil(env.CROSSBOOK_MAX_CONNECTIONS / 2),
      headersTimeoutMs: env.CROSSBOOK_HEADERS_TIMEOUT_MS,
      requestTimeoutMs: env.CROSSBOOK_REQUEST_TIMEOUT_MS,
      keepAliveMs: env.CROSSBOOK_KEEP_ALIVE_MS,
    },
    shutdownMs: env.CROSSBOOK_SHUTDOWN_MS,
    traces: env.OTEL_EXPORTER_OTLP_ENDPOINT
      ? {
          endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
          headers: env.OTEL_EXPORTER_OTLP_HEADERS,
          serviceName: env.OTEL_SERVICE_NAME,
        }
      : undefined,
    restPrefixes: { contacts: env.CROSSBOOK_CONTACTS_PREFIX, customers: env.CROSSBOOK_CUSTOMERS_PREFIX },
    oauthClients: readOAuthClients(given),
  };
}

/** Which OAuth client this installation is, with each provider that it is registered with. */
function readOAuthClients(given: Given): Config['oauthClients'] {
  const clients: Partial<Record<ProviderName, OAuthClient>> = {};
  for (const provider of PROVIDER_NAMES) {
    const { id, secret } = clientSettings(provider);
    const [clientId, clientSecret] = [given[id], given[secret]];
    if (clientId && clientSecret) clients[provider] = { clientId, clientSecret };
  }
  return clients;
}

function findHalfClients(given: Given): string[] {
  return PROVIDER_NAMES.map(clientSettings)
    .filter(({ id, secret }) => (given[id] === undefined) !== (given[secret] === undefined))
    .map(({ id, secret }) => `  ${id}, ${secret}: must be given together`);
}

/** A misspelt setting that is silently ignored costs an evening. */
function findUnknown(given: Given): string[] {
  const clients = PROVIDER_NAMES.map(clientSettings).flatMap(({ id, secret }) => [id, secret]);
  const known = new Set([...Object.keys(shape.shape), ...clients]);
  return Object.keys(given).filter((name) => name.startsWith('CROSSBOOK_') && !known.has(name));
}

function clientSettings(provider: ProviderName) {
  const name = `CROSSBOOK_${provider.toUpperCase()}_CLIENT`;
  return { id: `${name}_ID`, secret: `${name}_SECRET` };
}

type Given = Readonly<Record<string, string | undefined>>;

export interface Config {
  readonly production: boolean;
  readonly host: string;
  readonly port: number;
  /** Where browsers reach it: links and redirect URIs begin with it. Undefined: nobody said. */
  readonly publicUrl: string | undefined;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** A PostgreSQL server, or the folder of the embedded one. */
  readonly database: { readonly url: string; readonly pooled?: boolean } | { readonly directory: string };
  /** In the pool of this process. */
  readonly databaseConnections: number;
  readonly dataDirectory: string;
  /** `id:base64,…`; the first seals, all open. Undefined: a key file is made beside the data, never in production. */
  readonly keys: string | undefined;
  /** Undefined: applications and keys are managed by command alone. */
  readonly adminKeyHash: string | undefined;
  readonly cacheMaxAgeMs: number;
  /** With the names that are answered beside those of this machine. */
  readonly sandbox: { readonly port: number; readonly hosts: readonly string[] } | undefined;
  readonly graphiql: boolean;
  /** In front of the names of GraphQL types. */
  readonly typePrefix: string | undefined;
  readonly introspection: boolean;
  /** Are questions about the schema answered without a caller? */
  readonly strangers: boolean;
  /** To a caller, uncompressed. */
  readonly maxResponseBytes: number;
  /** A file with the only GraphQL operations that may be asked for. */
  readonly operations: string | undefined;
  readonly providerDeadlineMs: number;
  /** Is `/metrics` answered? */
  readonly metrics: boolean;
  /** A minute; 0: no limit. */
  readonly limits: { readonly perKey: number; readonly perToken: number; readonly guesses: number };
  /** Of connect links, for one address; 0: no limit. */
  readonly pagesPerMinute: number;
  /** Undefined: this process keeps its limits alone. */
  readonly redis: { readonly url: string; readonly prefix: string } | undefined;
  /** In front of the listener, each trusted to say whom it was asked by. */
  readonly proxies: number;
  /** For each application. */
  readonly maxCacheBytes: number;
  /** At once; beyond it: 503. */
  readonly maxRequests: number;
  /** Of those, without a key or token. */
  readonly maxStrangers: number;
  /** Held for clients and providers, in all. Undefined: a share of the heap and of the container. */
  readonly maxHeldBytes: number | undefined;
  readonly bounds: {
    readonly maxConnections: number;
    readonly maxConnectionsPerAddress: number;
    readonly headersTimeoutMs: number;
    readonly requestTimeoutMs: number;
    readonly keepAliveMs: number;
  };
  /** How long what runs may take to finish after SIGTERM. */
  readonly shutdownMs: number;
  /** Undefined: nobody follows requests on their way. */
  readonly traces:
    | {
        readonly endpoint: string;
        readonly headers: Readonly<Record<string, string>>;
        readonly serviceName: string;
      }
    | undefined;
  readonly restPrefixes: { readonly contacts: string | undefined; readonly customers: string | undefined };
  readonly oauthClients: Partial<Record<ProviderName, OAuthClient>>;
}

export type Env = Readonly<Record<string, string | undefined>>;
