import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_APPLICATION } from '../../src/domain/caller.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { ringOf } from '../support/databases.ts';
import { describeOnRedis, openRedisProxy } from '../support/redis.ts';
import { runCli } from '../support/run-cli.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const keyOf = (id: string) => `${id}:${Buffer.alloc(32, id).toString('base64')}`;
let root: string;
beforeAll(async () => {
  root = makeTemporaryFolder();
  const database = await openDatabase({ directory: join(root, 'data') }, { keyRing: ringOf('k1') });
  const { id } = await database.admin.createApplication('Acme');
  const credentials = { type: 'token', value: 'secret' } as const;
  await database.forApplication(id).customers.upsert({
    customerId: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
    connections: [{ providerName: 'hubspot', credentials }],
  });
  await database.beatJobs();
  await database.close();
});
afterAll(() => rmSync(root, { recursive: true }));

const TODAY = Date.parse('2026-11-22');
const examine = async (
  env: Record<string, string>,
  fetch?: typeof globalThis.fetch,
  at = TODAY,
) => {
  const result = await runCli(['doctor', '--json'], {
    env,
    now: () => at,
    ...(fetch && { fetch }),
  });
  const findings: { subject: string; state: string; detail: string }[] = result.json();
  return {
    code: result.code,
    findings: new Map(findings.map((finding) => [finding.subject, finding])),
  };
};

test('doctor reports no problem when the providers respond', async () => {
  const asked: string[] = [];
  const answering: typeof fetch = async (url, init) => {
    asked.push(`${init?.method} ${url}`);
    return new Response(null, { status: 404 });
  };
  const { code, findings } = await examine(
    { CROSSBOOK_DATA: root, CROSSBOOK_KEYS: keyOf('k1') },
    answering,
  );
  expect(code).toBe(0);
  expect([...findings.values()].filter(({ state }) => state !== 'ok')).toEqual([]);
  expect([...findings.keys()].slice(0, 5)).toEqual([
    'configuration',
    'keys',
    'database',
    'migrations',
    'jobs',
  ]);
  expect(asked).toContain('HEAD https://api.hubapi.com');
});

test.each([
  ['2027-03-30', 'ok', '2026-03 is supported until 2027-09-30'],
  ['2027-04-01', 'warning', '2026-03 is supported until 2027-09-30: a newer Crossbook is needed'],
  ['2027-10-01', 'warning', '2026-03 was supported until 2027-09-30: a newer Crossbook is needed'],
])('on %s the end of HubSpot’s API version is %s', async (day, state, detail) => {
  const { code, findings } = await examine({ CROSSBOOK_DATA: root }, undefined, Date.parse(day));
  expect(findings.get('hubspot API')).toEqual({ subject: 'hubspot API', state, detail });
  expect(code).toBe(0);
});

test('doctor prints the redirect URIs, and warns when they are unknown', async () => {
  const crossbook = { CROSSBOOK_DATA: root, CROSSBOOK_KEYS: keyOf('k1') };
  const known = await examine({ ...crossbook, PUBLIC_URL: 'https://crossbook.example' });
  expect(known.findings.get('salesforce redirect URI')).toMatchObject({
    state: 'ok',
    detail: 'https://crossbook.example/connect/callback/salesforce',
  });
  const unknown = await examine({ ...crossbook, HOST: '0.0.0.0' });
  expect(unknown.findings.get('redirect URIs')).toMatchObject({ state: 'warning' });
  expect(unknown.code).toBe(0);
});

test('in production doctor warns of a public URL of this machine, and of providers without an OAuth client', async () => {
  const production = { NODE_ENV: 'production', CROSSBOOK_DATA: root, CROSSBOOK_KEYS: keyOf('k1') };
  const bare = await examine(production);
  expect(bare.code).toBe(0);
  expect(bare.findings.get('redirect URIs')).toMatchObject({
    state: 'warning',
    detail: expect.stringContaining('PUBLIC_URL'),
  });
  expect(bare.findings.has('hubspot redirect URI')).toBe(false);
  expect(bare.findings.get('hubspot OAuth client')).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(
      /CROSSBOOK_HUBSPOT_CLIENT_ID and CROSSBOOK_HUBSPOT_CLIENT_SECRET.*crossbook (-- )?oauth-clients set/,
    ),
  });

  const setting = ['oauth-clients', 'set', 'Acme', 'salesforce', '--client-id', 'id'];
  await runCli(setting, { env: production, input: 'secret' });
  const { findings } = await examine({
    ...production,
    PUBLIC_URL: 'https://crossbook.example',
    CROSSBOOK_HUBSPOT_CLIENT_ID: 'id',
    CROSSBOOK_HUBSPOT_CLIENT_SECRET: 'secret',
    CROSSBOOK_PIPEDRIVE_CLIENT_ID: 'id',
    CROSSBOOK_PIPEDRIVE_CLIENT_SECRET: 'secret',
  });
  expect(findings.get('hubspot redirect URI')).toMatchObject({ state: 'ok' });
  expect([...findings.keys()].filter((subject) => subject.endsWith('OAuth client'))).toEqual([]);
  await runCli(['oauth-clients', 'delete', 'Acme', 'salesforce'], { env: production });
});

test('an offline machine is a warning', async () => {
  const { code, findings } = await examine({ CROSSBOOK_DATA: root, CROSSBOOK_KEYS: keyOf('k1') });
  expect(code).toBe(0);
  expect(findings.get('hubspot')).toMatchObject({
    state: 'warning',
    detail: expect.stringContaining('cannot be reached'),
  });
});

test('a key ring without a key of stored data is a failure that names the key', async () => {
  const { code, findings } = await examine({ CROSSBOOK_DATA: root, CROSSBOOK_KEYS: keyOf('k2') });
  expect(code).toBe(1);
  expect(findings.get('sealed data')).toMatchObject({
    state: 'failed',
    detail: expect.stringContaining('add k1 behind the first'),
  });
});

test('a key ring with other bytes under the id of a key asks for the original ones', async () => {
  const keys = keyOf('k1').replace('k1', 'k9');
  const { code, findings } = await examine({
    CROSSBOOK_DATA: root,
    CROSSBOOK_KEYS: `k1:${Buffer.alloc(32, 'other').toString('base64')},${keys}`,
  });
  expect(code).toBe(1);
  expect(findings.get('sealed data')?.detail).toMatch(/for k1: put the original ones back$/);
});

test('leftover demo data of the sandbox are a warning, and not while the sandbox is on', async () => {
  const database = await openDatabase({ directory: join(root, 'data') }, { keyRing: ringOf('k1') });
  await database.admin.ensureApplication(DEMO_APPLICATION);
  const env = { CROSSBOOK_DATA: root, CROSSBOOK_KEYS: keyOf('k1') };
  const { code, findings } = await examine({ ...env, CROSSBOOK_SANDBOX: 'off' });
  expect(code).toBe(0);
  expect(findings.get('demo data')).toMatchObject({
    state: 'warning',
    detail: expect.stringContaining('the next start removes it'),
  });
  const demo = await examine({ ...env, CROSSBOOK_SANDBOX: 'on' });
  expect(demo.findings.has('demo data')).toBe(false);
  await database.demoData.remove();
  const removed = await examine({ ...env, CROSSBOOK_SANDBOX: 'off' });
  expect(removed.findings.has('demo data')).toBe(false);
  await database.close();
});

test('doctor reports no problem before the first start, and creates nothing', async () => {
  const { code, findings } = await examine({ CROSSBOOK_DATA: join(root, 'nothing') });
  expect(code).toBe(0);
  expect(findings.get('keys')).toMatchObject({ state: 'warning' });
  const fresh = await examine({
    CROSSBOOK_DATA: join(root, 'nothing'),
    CROSSBOOK_KEYS: keyOf('k1'),
  });
  expect(fresh.findings.get('database')).toMatchObject({ state: 'warning' });
});

test('missing keys in production, an invalid setting and an unavailable database are failures without secrets', async () => {
  const cases: [string, Record<string, string>][] = [
    ['keys', { NODE_ENV: 'production' }],
    ['configuration', { PORT: 'x' }],
    [
      'database',
      { DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/db', CROSSBOOK_KEYS: keyOf('k1') },
    ],
  ];
  for (const [subject, env] of cases) {
    const { code, findings } = await examine(env);
    expect(code, subject).toBe(1);
    expect(findings.get(subject), subject).toMatchObject({ state: 'failed' });
    expect(JSON.stringify([...findings.values()])).not.toContain('hunter2');
  }
});

test('a Redis that is unavailable or rejects the password is a warning without the password', async () => {
  const env = {
    CROSSBOOK_DATA: root,
    CROSSBOOK_KEYS: keyOf('k1'),
    REDIS_URL: 'redis://:hunter2@127.0.0.1:1',
  };
  const { code, findings } = await examine(env);
  expect(code).toBe(0);
  expect(findings.get('redis')).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(/^127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED/),
  });
  expect(JSON.stringify([...findings.values()])).not.toContain('hunter2');
});

test('without a configured Redis doctor does not check one', async () => {
  const { findings } = await examine({ CROSSBOOK_DATA: root, CROSSBOOK_KEYS: keyOf('k1') });
  expect(findings.has('redis')).toBe(false);
});

describeOnRedis('a configured Redis', () => {
  test('is checked: it responds, or the reason is given', async () => {
    const proxy = await openRedisProxy();
    const env = { CROSSBOOK_DATA: root, CROSSBOOK_KEYS: keyOf('k1'), REDIS_URL: proxy.url };
    expect((await examine(env)).findings.get('redis')).toEqual({
      subject: 'redis',
      state: 'ok',
      detail: `127.0.0.1:${proxy.port} responds`,
    });
    const refused = { ...env, REDIS_URL: proxy.url.replace('redis://', 'redis://nobody:hunter2@') };
    const { state, detail } = (await examine(refused)).findings.get('redis') ?? {};
    expect(state).toBe('warning');
    expect(detail).toMatch(/WRONGPASS|AUTH/);
    expect(detail).not.toContain('hunter2');
    await proxy.cut();
  });
});
