import { availableParallelism } from 'node:os';
import * as z from 'zod';
import { toPublicUrl } from './domain/urls.ts';
import { DATA_DIRECTORY } from './lib/data-directory.ts';
import { type DatabaseUrl, mayWrite, parseDatabaseUrl } from './lib/database-url.ts';
import { readHostList } from './lib/host-list.ts';
import { parseRedisUrl } from './lib/redis-url.ts';

// Parsers of settings from environment variables.

const onOff = z.enum(['on', 'off'], 'must be on or off').transform((value) => value === 'on');
const matching = (pattern: RegExp, problem: string) => z.string().regex(pattern, problem);
const wholeNumber = (lowest: number, highest: number) =>
  matching(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= lowest && value <= highest, `must be from ${lowest} to ${highest}`);
const megabytes = (lowest: number, highest: number) =>
  wholeNumber(lowest, highest).transform((value) => value * 1_048_576);
const ENCODED = 'with / # ? @ in the password percent-encoded (%2F %23 %3F %40)';
const perMinute = wholeNumber(0, 1_000_000_000);
const pathPrefix = matching(
  /^(\/[A-Za-z0-9._~-]+)+$/,
  'must be a path such as /crm/v2, without a slash at the end',
);

/** `name=value,name=value`, percent-encoded, as in OpenTelemetry. */
const otlpHeaders = matching(
  /^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/,
  'must be name=value pairs with commas between them',
).transform((text) => Object.fromEntries(text.split(',').map(readPair)));

const hostNames = matching(
  /^[\w.-]+(,[\w.-]+)*$/,
  'must be host names with commas between them, without ports',
).transform((text) => text.split(','));

const hostList = z.string().transform((text, context) => {
  const { entries, problems } = readHostList(text);
  for (const message of problems) context.addIssue({ code: 'custom', message });
  return entries;
});

const publicUrl = z
  .string()
  .transform((text) => toPublicUrl(text) ?? '')
  .refine(
    (url) => url !== '',
    'must be a URL such as https://crossbook.example or https://app.example/crossbook; http only on this machine',
  );

function readPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
}

/**
 * One row per setting: its key in the configuration, its environment variable, its type, its default (or an example
 * where optional), and its description. `npm run docs` prints `.env.example` from it.
 */
export const SETTINGS = {
  mode: setting(
    'NODE_ENV',
    z.enum(['development', 'test', 'production'], 'must be development, test or production'),
    'development',
    '"production" refuses to start without CROSSBOOK_KEYS and disables the sandbox.',
  ),
  host: setting(
    'HOST',
    z.string(),
    '127.0.0.1',
    'Host and port to listen on. The default is reachable from this machine only.',
  ),
  port: setting('PORT', wholeNumber(0, 65_535), '4000'),
  workers: setting(
    'CROSSBOOK_WORKERS',
    matching(/^(auto|\d+)$/, 'must be auto or a whole number')
      .transform((value) => (value === 'auto' ? availableParallelism() : Number(value)))
      .refine((value) => value >= 1 && value <= 256, 'must be from 1 to 256'),
    '1',
    'Processes that serve requests at this port, for the command only: auto is one for each processor core. Unless CROSSBOOK_JOBS is off, one more does jobs. Limits on memory, requests and database connections are those of each process.',
  ),
  jobs: setting(
    'CROSSBOOK_JOBS',
    onOff,
    'on',
    'Whether this process also does jobs: it delivers webhooks, runs syncs, refreshes idle tokens and deletes old rows. off: it serves requests only, and a process of `crossbook jobs` must do them. With several workers, one more does them.',
  ),
  jobsPort: setting(
    'CROSSBOOK_JOBS_PORT',
    wholeNumber(0, 65_535),
    '4001',
    'Port of `crossbook jobs`, for /livez, /readyz and /metrics.',
  ),
  publicUrl: optional(
    'PUBLIC_URL',
    publicUrl,
    'https://crossbook.example',
    'URL at which browsers reach Crossbook, for connect links and for the redirect URIs that are registered with the vendors: <PUBLIC_URL>/connect/callback/PROVIDER. It may have a path, such as https://app.example/crossbook: all links then begin with it, and requests are served with and without it. https, except on this machine. Default: http://localhost:<PORT> if HOST is this machine.',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    z.enum(
      ['debug', 'info', 'warn', 'error', 'silent'],
      'must be debug, info, warn, error or silent',
    ),
    'info',
    'debug, info, warn, error or silent',
  ),
  databaseUrl: optional(
    'DATABASE_URL',
    z
      .string()
      .refine(parseDatabaseUrl, {
        message: `must be a postgres:// URL that names a database, with commas between several hosts, ${ENCODED}`,
        abort: true,
      })
      .refine(
        (text) => mayWrite(parseDatabaseUrl(text) as DatabaseUrl),
        'target_session_attrs must be read-write: Crossbook uses the primary only',
      ),
    'postgres://user:password@localhost:5432/crossbook',
    'PostgreSQL 15 or later (tested with 15 and 18). Of several hosts (host1:5432,host2:5432) the one that accepts writes is used. / # ? @ in the password are percent-encoded: %2F %23 %3F %40. Default: an embedded PostgreSQL 18 in CROSSBOOK_DATA.',
  ),
  databaseConnections: setting(
    'CROSSBOOK_DATABASE_CONNECTIONS',
    wholeNumber(1, 1_000),
    '10',
    "Connections of this process's pool. One more is open while all of them are in use (a probe), and two while migrations run.",
  ),
  databasePooler: setting(
    'CROSSBOOK_DATABASE_POOLER',
    z.enum(['none', 'session', 'transaction'], 'must be none, session or transaction'),
    'none',
    "The pool_mode of a pooler (PgBouncer) in front of PostgreSQL. session: timeouts are set by a statement after connecting. transaction: statements are unnamed, and the timeouts are the role's.",
  ),
  dataDirectory: setting(
    'CROSSBOOK_DATA',
    z.string(),
    DATA_DIRECTORY,
    'Folder of the embedded database and of the key file.',
  ),
  keys: optional(
    'CROSSBOOK_KEYS',
    z.string(),
    'k1:…',
    'Key ring that encrypts credentials and the cache, and signs cursors: id:base64 of 32 bytes, comma-separated. The first encrypts, all of them decrypt. Generate one: echo "k1:$(openssl rand -base64 32)"',
  ),
  adminKeyHash: optional(
    'CROSSBOOK_ADMIN_KEY_HASH',
    matching(/^[0-9a-f]{64}$/, 'must be the hash that the command keys admin prints'),
    '',
    'With this, applications and keys are managed over HTTP as well, below /admin. Make a key and its hash: crossbook keys admin',
  ),
  console: {
    enabled: optional(
      'CROSSBOOK_CONSOLE',
      onOff,
      'on',
      'The console for operators, at /console. Needs CROSSBOOK_ADMIN_KEY_HASH; operators sign in with the admin key. Default: on with the sandbox, otherwise off.',
    ),
    contacts: optional(
      'CROSSBOOK_CONSOLE_CONTACTS',
      onOff,
      'on',
      'Whether operators may look up the records of customers in the console. Each look-up is an entry in the audit log. Default: on with the sandbox, otherwise off.',
    ),
  },
  redisUrl: optional(
    'REDIS_URL',
    z
      .string()
      .refine(
        parseRedisUrl,
        `must be redis://host:6379 of one server, or redis+sentinel://host1:26379,host2:26379/name of a master (rediss for TLS), ${ENCODED}`,
      ),
    'redis://localhost:6379',
    "Several processes share their limits through this Redis (of Sentinels: redis+sentinel://:password@host1:26379,host2:26379/mymaster): rate limits of callers and of providers. Without Redis each process applies the full caller limit and its share of each provider's limit.",
  ),
  cacheMaxAgeMs: setting(
    'CACHE_MAX_AGE',
    wholeNumber(0, 86_400).transform((seconds) => seconds * 1_000),
    '900',
    'TTL of the contact cache in seconds, for searches with readFromCache (0 to 86400).',
  ),
  maxCacheBytes: setting(
    'CROSSBOOK_CACHE_MEGABYTES',
    megabytes(1, 1_000_000),
    '64',
    'Size of the contact cache for each application. Entries older than a day are always deleted.',
  ),
  sandboxed: optional(
    'CROSSBOOK_SANDBOX',
    onOff,
    'on',
    'The simulated CRMs, with the demo customer. Default: on if nothing real is configured (not in production, without DATABASE_URL, with HOST on this machine), otherwise off.',
  ),
  sandboxHosts: {
    name: 'CROSSBOOK_HOSTS',
    schema: hostNames.default([]),
    example: 'devbox.example,crossbook.test',
    words:
      'With the sandbox on, only requests for localhost, 127.0.0.1, [::1] and these host names are answered.',
  },
  sandboxPort: setting(
    'CROSSBOOK_SANDBOX_PORT',
    wholeNumber(0, 65_534),
    '4010',
    'Port of the first simulated CRM; the others have the next ones. 0: any free port.',
  ),
  sandboxAll: setting(
    'CROSSBOOK_SANDBOX_ALL',
    onOff,
    'off',
    'Whether the sandbox has all simulated CRMs, and not only two. The demo customer is connected to each.',
  ),
  syncHosts: optional(
    'CROSSBOOK_SYNC_HOSTS',
    hostList,
    'warehouse.example.com:5432,*.db.example.com:5432',
    'All servers that syncs may write to: host:port, or *.example.com:5432 for all names that end like this, comma-separated. They need TLS with a certificate for their name. Default: none; this machine with the sandbox on (not in production).',
  ),
  syncPlainHosts: optional(
    'CROSSBOOK_SYNC_PLAIN_HOSTS',
    hostList,
    'warehouse.internal:5432',
    'Those of CROSSBOOK_SYNC_HOSTS that are connected to without TLS, unless the destination has a CA certificate.',
  ),
  typePrefix: optional(
    'CROSSBOOK_GRAPHQL_TYPE_PREFIX',
    matching(
      /^[A-Z][A-Za-z0-9]{0,29}_?$/,
      'must be the beginning of a type name such as Crm or Crm_',
    ),
    'Crm_',
    "Prefix of the names of GraphQL types, for gateways whose other subgraphs have types of the same names: Crm_ renames Contact to Crm_Contact. It applies to all clients of this process's GraphQL. docs/federation.md says which types keep their names. Default: none.",
  ),
  rootFieldPrefix: optional(
    'CROSSBOOK_GRAPHQL_ROOT_FIELD_PREFIX',
    matching(
      /^[a-z][A-Za-z0-9]{0,29}_?$/,
      'must be the beginning of a field name such as crm or crm_',
    ),
    'crm_',
    "Prefix of the names of GraphQL's root fields, for gateways whose other subgraphs have fields of the same names: crm_ renames Query.customer to crm_customer. node and nodes keep their names. Default: none.",
  ),
  graphiql: setting('CROSSBOOK_GRAPHIQL', onOff, 'on', 'GraphiQL at /graphql, and introspection.'),
  introspection: setting('CROSSBOOK_INTROSPECTION', onOff, 'on'),
  typedFields: setting(
    'CROSSBOOK_TYPED_FIELDS',
    onOff,
    'on',
    'Whether applications may have a GraphQL schema with their custom fields. off: all have the common one.',
  ),
  allowsUnauthenticated: setting(
    'CROSSBOOK_STRANGERS',
    onOff,
    'on',
    'Requests without an API key or a token: introspection only, within narrow limits. off: none.',
  ),
  mcp: {
    enabled: optional(
      'CROSSBOOK_MCP',
      onOff,
      'on',
      'The MCP server for agents, at /mcp. Default: on with the sandbox, otherwise off.',
    ),
    allowsKeys: setting(
      'CROSSBOOK_MCP_KEYS',
      onOff,
      'off',
      'Whether the MCP server accepts API keys in addition to customer tokens. An agent with a key reaches all customers of the application.',
    ),
    writes: setting(
      'CROSSBOOK_MCP_WRITES',
      onOff,
      'off',
      'Whether the MCP server has tools that create and change records. A customer token needs can_write for them.',
    ),
    text: setting(
      'CROSSBOOK_MCP_TEXT',
      onOff,
      'on',
      'Whether the text of a tool result repeats its structured content as JSON, for clients that give only text to their model. off: the text says only how many contacts were found.',
    ),
    issuer: optional(
      'CROSSBOOK_MCP_ISSUER',
      z.url({ protocol: /^https$/, error: 'must be an https:// URL' }),
      'https://login.example',
      'Your authorization server that issues customer tokens to MCP clients. Clients find it by /.well-known/oauth-protected-resource/mcp (RFC 9728). Needs PUBLIC_URL. Without it, clients are configured with a token.',
    ),
  },
  maxResponseBytes: setting(
    'CROSSBOOK_RESPONSE_MEGABYTES',
    megabytes(1, 256),
    '16',
    'Maximum size of a response to a caller, uncompressed (beyond it: 400).',
  ),
  operations: optional(
    'CROSSBOOK_OPERATIONS',
    z.string(),
    'operations.json',
    'Trusted documents: a JSON file of operations by their SHA-256. Only these operations are accepted, and GraphiQL is off.',
  ),
  providerDeadlineMs: setting(
    'CROSSBOOK_PROVIDER_DEADLINE_MS',
    wholeNumber(100, 120_000),
    '10000',
    'Deadline of a look-up, including waits and retries.',
  ),
  metrics: optional(
    'CROSSBOOK_METRICS',
    onOff,
    'on',
    '/metrics for Prometheus. Default: on; in production off, because it is served on the same port as the API.',
  ),
  traces: {
    endpoint: optional(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      z.url({ protocol: /^https?$/, error: 'must be a http(s):// URL' }),
      'http://localhost:4318',
      'Collector to which traces are sent over OTLP/HTTP (JSON). Without it there is no tracing.',
    ),
    headers: {
      name: 'OTEL_EXPORTER_OTLP_HEADERS',
      schema: otlpHeaders.default({}),
      example: 'authorization=Bearer%20token',
      words: '',
    },
    serviceName: setting('OTEL_SERVICE_NAME', z.string(), 'crossbook'),
  },
  limits: {
    perApplication: setting(
      'CROSSBOOK_REQUESTS_PER_MINUTE',
      perMinute,
      '600000',
      'Rate limit a minute for each application, by all of its API keys and customer tokens (beyond it: 429 with Retry-After). A request counts once for every 1,000 of its cost. 0: no limit.',
    ),
    perCustomer: setting(
      'CROSSBOOK_TOKEN_REQUESTS_PER_MINUTE',
      perMinute,
      '6000',
      'Rate limit a minute for each customer, by all of its tokens. They count towards the limit of the application, too.',
    ),
    failedAuthentications: setting(
      'CROSSBOOK_GUESSES_PER_MINUTE',
      perMinute,
      '300',
      'Failed look-ups of API keys a minute from one address. Beyond it they are slowed down.',
    ),
  },
  pagesPerMinute: setting(
    'CROSSBOOK_PAGES_PER_MINUTE',
    perMinute,
    '300',
    'Rate limit a minute of the connect pages for one address (beyond it: 429). 0: no limit.',
  ),
  proxies: setting(
    'CROSSBOOK_TRUSTED_PROXIES',
    wholeNumber(0, 10),
    '0',
    'Number of trusted proxies in front, whose X-Forwarded-For gives the client’s address.',
  ),
  maxRequests: setting(
    'CROSSBOOK_MAX_REQUESTS',
    wholeNumber(1, 100_000),
    '1500',
    'Maximum number of requests in progress, including those that wait. Further requests queue for up to five seconds, then get 503 with Retry-After. One application gets at most half, one connection to a CRM a third.',
  ),
  maxUnauthenticated: setting(
    'CROSSBOOK_MAX_STRANGER_REQUESTS',
    wholeNumber(1, 100_000),
    '20',
    'Maximum number of these without a key or token.',
  ),
  bounds: {
    maxConnections: setting(
      'CROSSBOOK_MAX_CONNECTIONS',
      wholeNumber(1, 1_000_000),
      '10000',
      'Maximum number of open client connections. One address gets at most half.',
    ),
    headersTimeoutMs: setting(
      'CROSSBOOK_HEADERS_TIMEOUT_MS',
      wholeNumber(100, 600_000),
      '20000',
      'Timeouts for receiving the headers and the whole request, and for idle connections. Keep the last one above the idle timeout of the load balancer in front.',
    ),
    requestTimeoutMs: setting('CROSSBOOK_REQUEST_TIMEOUT_MS', wholeNumber(100, 600_000), '30000'),
    keepAliveMs: setting('CROSSBOOK_KEEP_ALIVE_MS', wholeNumber(0, 3_600_000), '75000'),
  },
  heavyRequests: optional(
    'CROSSBOOK_HEAVY_REQUESTS',
    wholeNumber(2, 1_000),
    '8',
    'Maximum number of heavy requests at once: those with a long body, a long document or a high cost, or that read much from a CRM. Further ones wait for up to five seconds, then get 503 with Retry-After. One application gets all but one. Default: what the memory of the process holds, 4 with a heap of 384 MB, 14 with 1 GB.',
  ),
  shutdownMs: setting(
    'CROSSBOOK_SHUTDOWN_MS',
    wholeNumber(0, 3_600_000),
    '20000',
    'Time that running requests have to finish after SIGTERM.',
  ),
  restPrefixes: {
    contacts: optional(
      'CROSSBOOK_CONTACTS_PREFIX',
      pathPrefix,
      '/crm/v2',
      'Path prefixes of the REST operations on contacts and on customers, for clients that were written for an API with such paths: with /crm/v2, /contacts/_search becomes /crm/v2/contacts/_search. Default: none.',
    ),
    customers: optional('CROSSBOOK_CUSTOMERS_PREFIX', pathPrefix, '/mgmt/v2'),
  },
};

/** A setting with a default. */
function setting<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  fallback: z.input<Schema> & string,
  words = '',
): Setting<z.ZodPrefault<Schema>> {
  return { name, schema: schema.prefault(fallback), example: fallback, words };
}

function optional<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  example: string,
  words = '',
): Setting<z.ZodOptional<Schema>> {
  return { name, schema: schema.optional(), example, words };
}

export interface Setting<Schema extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly schema: Schema;
  readonly example: string;
  /** Empty: the previous row's description covers it. */
  readonly words: string;
}

export interface Group {
  readonly [name: string]: Setting | Group;
}
