import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { LOOPBACK_HOSTS } from '../src/lib/host-list.ts';

test('an empty environment is a complete configuration: embedded database, sandbox, loopback', () => {
  expect(readConfig({})).toMatchObject({
    host: '127.0.0.1',
    port: 4000,
    database: { directory: '.crossbook/data' },
    sandbox: { port: 4010 },
    production: false,
  });
});

test('production has no sandbox unless it is configured', () => {
  expect(readConfig({ NODE_ENV: 'production' }).sandbox).toBeUndefined();
  expect(readConfig({ NODE_ENV: 'production', CROSSBOOK_SANDBOX: 'on' }).sandbox).toBeDefined();
});

test('all invalid settings are reported at once', () => {
  const env = { PORT: 'http', CACHE_MAX_AGE: '-1', CROSSBOOK_SANDBOX: 'yes', CROSSBOOK_KEY: 'x' };
  expect(() => readConfig(env)).toThrow(
    /PORT[\s\S]*CACHE_MAX_AGE[\s\S]*CROSSBOOK_SANDBOX[\s\S]*CROSSBOOK_KEY: unknown setting/,
  );
});

test('what applications read from the same shell is no setting, and no mistake', () => {
  const env = {
    CROSSBOOK_URL: 'http://localhost:4000',
    CROSSBOOK_API_KEY: 'cbk_x',
    CROSSBOOK_WEBHOOK_SECRET: 'x',
  };
  expect(() => readConfig(env)).not.toThrow();
});

test('the servers that syncs may write to are listed by host and port, or the start fails', () => {
  const set = (allowed: string, plain = '') =>
    readConfig({ CROSSBOOK_SYNC_HOSTS: allowed, CROSSBOOK_SYNC_PLAIN_HOSTS: plain }).syncHosts;
  expect(set('a.example:5432,*.b.example:6432', 'c.b.example:6432')).toEqual({
    allowed: [
      { host: 'a.example', port: 5432 },
      { host: '*.b.example', port: 6432 },
    ],
    plain: [{ host: 'c.b.example', port: 6432 }],
  });
  expect(() => set('a.example,b.example:1')).toThrow(
    'CROSSBOOK_SYNC_HOSTS: "a.example" must have a port, such as a.example:5432',
  );
  expect(() => set('a.example:1', 'b.example:1')).toThrow(
    'CROSSBOOK_SYNC_PLAIN_HOSTS: b.example:1 must be in CROSSBOOK_SYNC_HOSTS, too',
  );
});

test('without a list, syncs may write to this machine if it is the demo, and to no server otherwise', () => {
  expect(readConfig({}).syncHosts).toEqual({ allowed: LOOPBACK_HOSTS, plain: LOOPBACK_HOSTS });
  for (const env of [
    { NODE_ENV: 'production', CROSSBOOK_SANDBOX: 'on' },
    { DATABASE_URL: 'postgres://localhost/x' },
  ])
    expect(readConfig(env).syncHosts).toEqual({ allowed: [], plain: [] });
});

test('the database pool and a pooler in front of it are configurable', () => {
  const DATABASE_URL = 'postgres://localhost/x';
  expect(readConfig({ DATABASE_URL })).toMatchObject({
    databaseConnections: 10,
    database: { pooler: 'none' },
  });
  const given = { CROSSBOOK_DATABASE_CONNECTIONS: '25', CROSSBOOK_DATABASE_POOLER: 'transaction' };
  expect(readConfig({ DATABASE_URL, ...given })).toMatchObject({
    databaseConnections: 25,
    database: { url: DATABASE_URL, pooler: 'transaction' },
  });
  const wrong = { CROSSBOOK_DATABASE_CONNECTIONS: '0', CROSSBOOK_DATABASE_POOLER: 'statement' };
  expect(() => readConfig(wrong)).toThrow(
    /DATABASE_CONNECTIONS[\s\S]*DATABASE_POOLER: must be none, session or transaction/,
  );
});

test('an incomplete OAuth client is an error, a complete one is read for any provider', () => {
  const half = { CROSSBOOK_HUBSPOT_CLIENT_ID: 'id' };
  expect(() => readConfig(half)).toThrow('CROSSBOOK_HUBSPOT_CLIENT_SECRET');
  const whole = { ...half, CROSSBOOK_HUBSPOT_CLIENT_SECRET: 'secret' };
  expect(readConfig(whole).oauthClients).toEqual({
    hubspot: { clientId: 'id', clientSecret: 'secret' },
  });
});

test.each(['crm', 'Crm-', '_Crm', 'Crm__', 'C'.repeat(31)])(
  'no type name begins with %s',
  (prefix) => {
    const read = () => readConfig({ CROSSBOOK_GRAPHQL_TYPE_PREFIX: prefix });
    expect(read).toThrow(
      'CROSSBOOK_GRAPHQL_TYPE_PREFIX: must be the beginning of a type name such as Crm or Crm_',
    );
  },
);

test.each(['Crm', 'crm-', '_crm', 'crm__', 'c'.repeat(31)])(
  'no root field begins with %s',
  (prefix) => {
    const read = () => readConfig({ CROSSBOOK_GRAPHQL_ROOT_FIELD_PREFIX: prefix });
    expect(read).toThrow(
      'CROSSBOOK_GRAPHQL_ROOT_FIELD_PREFIX: must be the beginning of a field name such as crm or crm_',
    );
  },
);

test('an error for a setting does not repeat its value, which can be a secret', () => {
  expect(() => readConfig({ DATABASE_URL: 'mysql://user:hunter2@host/db' })).toThrow(
    /^((?!hunter2)[\s\S])*$/,
  );
});

test.each([
  'postgres://user:hunter2/x@127.0.0.1/db',
  'postgres://user:12/hunter2@127.0.0.1/db',
  'postgres://user:hunter2#x@127.0.0.1/db',
  'postgres://user:12#hunter2@127.0.0.1/db',
  'postgres://user:hunter2?x@127.0.0.1/db',
  'postgres://user:hunter2@127.0.0.1:99999/db',
])('a URL such as %s is refused without its password, and says what to encode', (DATABASE_URL) => {
  expect(() => readConfig({ DATABASE_URL })).toThrow(
    /DATABASE_URL: must be a postgres:\/\/ URL .*with \/ # \? @ in the password percent-encoded/,
  );
  expect(() => readConfig({ DATABASE_URL })).toThrow(/^((?!hunter2)[\s\S])*$/);
});

test.each([
  'postgres://postgres@127.0.0.1:5432',
  'postgres://postgres@127.0.0.1:5432/',
  'postgres://postgres@127.0.0.1?sslmode=require',
  'postgres://postgres@/?host=/run/postgresql',
])(
  '%s names no database, and is refused instead of using one that the server picks',
  (DATABASE_URL) => {
    expect(() => readConfig({ DATABASE_URL })).toThrow(
      /DATABASE_URL: must be a postgres:\/\/ URL that names a database/,
    );
  },
);

test.each([
  'postgres://user:p%2Fa%23s%3Fs@127.0.0.1:5432/db?sslmode=require',
  'postgresql://user:p@ss@[::1]/db',
  'postgres://user@/db?host=/run/postgresql',
  'postgres:///db?host=/run/postgresql',
  'postgres://%2Frun%2Fpostgresql/db',
])('%s is a database', (DATABASE_URL) => {
  expect(readConfig({ DATABASE_URL }).database).toMatchObject({ url: DATABASE_URL });
});

test('a password of Redis that is not percent-encoded is an error without its value', () => {
  const read = () => readConfig({ REDIS_URL: 'redis://:hunter2/x@127.0.0.1' });
  expect(read).toThrow(/REDIS_URL: .*percent-encoded/);
  expect(read).toThrow(/^((?!hunter2)[\s\S])*$/);
});

test.each(['prod', 'Production', 'staging'])(
  'NODE_ENV=%s is refused, because it would be no production',
  (mode) => {
    expect(() => readConfig({ NODE_ENV: mode })).toThrow(
      'NODE_ENV: must be development, test or production',
    );
    expect(readConfig({ NODE_ENV: '' }).production).toBe(false);
  },
);

test('the sandbox is on by default only if nothing real is configured', () => {
  const isOn = (env: Record<string, string>) => readConfig(env).sandbox !== undefined;
  expect(
    [{}, { HOST: 'localhost' }, { HOST: '127.0.0.2' }, { HOST: '::1' }].map(isOn),
  ).not.toContain(false);
  const url = 'postgres://localhost/x';
  const real = [
    { NODE_ENV: 'production' },
    { DATABASE_URL: url },
    { HOST: '0.0.0.0' },
    { HOST: '10.0.0.1' },
  ];
  expect(real.map(isOn)).not.toContain(true);
  expect(isOn({ DATABASE_URL: url, HOST: '0.0.0.0', CROSSBOOK_SANDBOX: 'on' })).toBe(true);
});

test('the defaults in the example file are the actual ones', () => {
  const lines = readFileSync('.env.example', 'utf8').matchAll(
    /^# (CROSSBOOK_\w+|CACHE_MAX_AGE|PORT|HOST|LOG_LEVEL)=(\d+|on|[\w.]+)$/gm,
  );
  const examples = new Set([
    'CROSSBOOK_OPERATIONS',
    'CROSSBOOK_HEAVY_REQUESTS',
    'CROSSBOOK_DATABASE_POOLER',
    'CROSSBOOK_HOSTS',
    'CROSSBOOK_GRAPHQL_TYPE_PREFIX',
    'CROSSBOOK_GRAPHQL_ROOT_FIELD_PREFIX',
  ]);
  const defaults = [...lines].filter(([, name = '']) => !examples.has(name));
  expect(defaults.length).toBeGreaterThan(15);
  for (const [, name = '', value] of defaults)
    expect([name, readConfig({ [name]: value })]).toEqual([name, readConfig({})]);
});

test.each([
  [{}, 'http://localhost:4000'],
  [{ PORT: '8080', HOST: '::1' }, 'http://localhost:8080'],
  [{ PORT: '0' }, undefined],
  [{ HOST: '0.0.0.0' }, undefined],
  [{ PUBLIC_URL: 'https://Crossbook.example/' }, 'https://crossbook.example'],
  [{ PUBLIC_URL: 'https://App.example/Crm/x' }, 'https://app.example/Crm/x'],
  [{ PUBLIC_URL: 'https://app.example/crm/' }, 'https://app.example/crm'],
  [{ PUBLIC_URL: 'http://127.0.0.1:4000', HOST: '0.0.0.0' }, 'http://127.0.0.1:4000'],
])('with %j the public URL is %s', (env, publicUrl) => {
  expect(readConfig(env).publicUrl).toBe(publicUrl);
});

test.each([
  'http://crossbook.example',
  'https://crossbook.example/a//b',
  'https://crossbook.example/a/../b',
  'https://crossbook.example/a%2fb',
  'https://crossbook.example/a;b',
  'https://crossbook.example/a?x',
  'https://crossbook.example?x',
  'https://user@crossbook.example',
  'http://localhost.evil.example',
  'http://0.0.0.0:4000',
  'crossbook.example',
  'javascript:alert(1)',
])('%s is rejected as a public URL', (PUBLIC_URL) => {
  expect(() => readConfig({ PUBLIC_URL })).toThrow(/PUBLIC_URL: must be a URL/);
});

test.each([
  ['DATABASE_URL', 'postgres://me:hun,ter2@one:5432,[::1]:5433,three/crossbook'],
  ['DATABASE_URL', 'postgresql://one,two/crossbook?target_session_attrs=read-write'],
  ['DATABASE_URL', 'postgresql://one/crossbook?target_session_attrs=primary&sslmode=require'],
  ['REDIS_URL', 'redis+sentinel://:hunter2@one:26379,two/mymaster'],
  ['REDIS_URL', 'rediss+sentinel://me:hun,ter2@[::1]:1,two:2/mymaster/3?sentinel_password=x'],
])('%s may name several hosts: %s', (name, url) => {
  const { database, redis } = readConfig({ [name]: url });
  expect([database, redis]).toContainEqual(expect.objectContaining({ url }));
});

test.each([
  ['DATABASE_URL', 'postgres://me:hunter2@one,,two/crossbook', 'commas between several hosts'],
  ['DATABASE_URL', 'postgres://me:hunter2@one,two:70000/crossbook', 'commas between several'],
  ['DATABASE_URL', 'postgres://me:hunter2@one,two', 'must be a postgres:// URL that names a data'],
  [
    'DATABASE_URL',
    'postgres://me:hunter2@one,two/crossbook?target_session_attrs=prefer-standby',
    'target_session_attrs must be read-write',
  ],
  ['REDIS_URL', 'redis://:hunter2@one:26379,two:26379', 'redis://host:6379 of one server'],
  ['REDIS_URL', 'redis+sentinel://:hunter2@one:26379', '26379/name of a master'],
  ['REDIS_URL', 'redis+sentinel://:hunter2@one,/mymaster', '26379/name of a master'],
  ['REDIS_URL', 'redis+sentinel://:hunter2@one/mymaster/zero', '26379/name of a master'],
  ['REDIS_URL', 'redis+sentinel://:hunter2@one/mymaster?db=1', '26379/name of a master'],
])('%s is refused with what is wrong, and without its password: %s', (name, url, problem) => {
  const read = () => readConfig({ [name]: url });
  expect(read).toThrow(new RegExp(`${name}: .*${problem.replaceAll(/[?.+]/g, '\\$&')}`));
  expect(read).not.toThrow(/hunter2/);
});
