import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/databases.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { FAKETIME } from '../support/machine.ts';
import { openRival } from '../support/postgres-rival.ts';
import { startProduct } from '../support/product.ts';
import { runCli } from '../support/run-cli.ts';
import { createSandboxControl } from '../support/sandbox-control.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { createSteppedClock } from './faketime.ts';

const HOUR_MS = 3_600_000;
const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
const ADA = { filter: { email: 'ada@example.com' } };
const HUBSPOT = { 'x-customer-id': 'demo', 'x-provider-name': 'hubspot' };
const SALESFORCE = { 'x-customer-id': 'demo', 'x-provider-name': 'salesforce' };
/** HubSpot's connections have 190 in ten seconds: the other requests queue for the next window. */
const SEARCHES = { before: 150, after: 100 };

/**
 * `clock-steps.test.ts` injects a clock. This test starts the product itself and sets its wall clock while it runs.
 */
describe.skipIf(!FAKETIME).each([-2, 2])('When the wall clock is set by %d hours,', (hours) => {
  let world: World;
  let before: Awaited<ReturnType<typeof prepare>>;
  beforeAll(async () => {
    world = await open();
    before = await prepare(world);
    world.clock.set(hours);
    // The process has noticed the change: compared to the hour, since the machine may be busy.
    await until(async () => {
      const { headers } = await fetch(`${world.product.url}/livez`);
      return Math.round((Date.parse(headers.get('date') ?? '') - Date.now()) / HOUR_MS) === hours;
    });
  });
  afterAll(() => world.close());

  // Each waits for a different timer.
  test.concurrent('a revoked API key is rejected after at most five seconds of caching', async ({
    expect,
  }) => {
    const { ask, env } = world;
    const ofKey = { 'x-api-key': before.key };
    expect((await ask('GET', '/customers/nobody', undefined, ofKey)).status).toBe(404);
    expect(await runCli(['keys', 'revoke', before.keyId], { env })).toMatchObject({ code: 0 });
    await expect
      .poll(async () => (await ask('GET', '/customers/nobody', undefined, ofKey)).status)
      .toBe(401);
  });

  test.concurrent('an open circuit breaker still closes after its reset time', async ({
    expect,
  }) => {
    await world.salesforce.clearFaults();
    await expect.poll(() => world.search(SALESFORCE)).toMatchObject({ status: 200 });
  });

  test.concurrent('the rate limit window is not affected: no search is rejected', async () => {
    for (let n = 0; n < SEARCHES.after; n++) {
      expect(await world.search(HUBSPOT)).toMatchObject({ status: 200 });
    }
  });

  test.concurrent('the window of an API key’s rate limit is still one minute', async () => {
    const { headers } = await world.ask('GET', '/customers/demo');
    const resetS = Number(headers.get('ratelimit-reset'));
    expect([resetS, resetS >= 0 && resetS <= 60]).toEqual([expect.any(Number), true]);
  });

  test.concurrent('the lease of a killed process is taken over, when the database’s clock is set as well', async ({
    expect,
  }) => {
    const { rival, upsert, hubspot, sandboxPort, search } = world;
    const { refreshToken } = await hubspot.account();
    await upsert('grace', {
      provider_name: 'hubspot',
      instance_url: `http://127.0.0.1:${sandboxPort}`,
      credentials: {
        type: 'oauth2',
        access_token: 'old-access-token',
        refresh_token: refreshToken,
      },
    });
    await rival.run(
      `update crossbook.credentials set refresh_lease = '${randomUUID()}', refreshing_generation = generation,
         refreshing_until = clock_timestamp() + interval '25 s' - interval '1 hour' * (${hours})
       from crossbook.connections where connections.id = connection_id and customer_id = 'grace'`,
    );
    await expect
      .poll(() => search({ ...HUBSPOT, 'x-customer-id': 'grace' }))
      .toMatchObject({ status: 200 });
  });

  test.concurrent('cache entries are not treated as newer than they are', async () => {
    const { headers, body } = await world.ask('POST', CACHED, ADA, HUBSPOT);
    const fetchedAt = headers.get('x-fetched-at');
    expect(body.records[0].first_name).toBe('Ada');
    expect(Math.round((Date.parse(fetchedAt ?? '') - Date.now()) / HOUR_MS)).toBe(hours);
    expect(fetchedAt).not.toBe(before.fetchedAt);
  });
});

/**
 * The state before the change: a cached key, an open circuit breaker, a started rate limit window and a filled
 * cache.
 */
async function prepare({ env, ask, search, salesforce, hubspot }: World) {
  await runCli(['apps', 'create', 'Acme'], { env });
  const { json } = await runCli(['keys', 'create', 'Acme', '--json'], { env });
  const { id, key } = json();
  await hubspot.liftLimits();
  await salesforce.fail({ kind: 'reset' }, { times: 1_000 });
  await until(
    async () => (await search(SALESFORCE)).detail?.includes('Calls to it are paused') === true,
  );
  for (let n = 0; n < SEARCHES.before; n++) {
    expect(await search(HUBSPOT)).toMatchObject({ status: 200 });
  }
  const readCached = async () =>
    (await ask('POST', CACHED, ADA, HUBSPOT)).headers.get('x-fetched-at');
  const fetchedAt = await readCached();
  await until(async () => (await readCached()) === fetchedAt);
  // Caches the key now, for five seconds from here.
  expect((await ask('GET', '/customers/nobody', undefined, { 'x-api-key': key })).status).toBe(404);
  return { keyId: String(id), key: String(key), fetchedAt };
}

/** `expect.poll` is not available in a hook. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo()));
}

async function open() {
  const { url, drop } = await createTestDatabase();
  const sandboxPort = await findFreePorts();
  const folder = makeTemporaryFolder();
  const clock = createSteppedClock(folder);
  const env = { DATABASE_URL: url, CROSSBOOK_KEYS: KEYS, CROSSBOOK_DATA: join(folder, 'data') };
  const product = await startProduct({
    ...env,
    ...clock.env,
    CROSSBOOK_SANDBOX: 'on',
    CROSSBOOK_SANDBOX_PORT: String(sandboxPort),
    // Longer than a window; the lease of a refresh is as long, plus a margin.
    CROSSBOOK_PROVIDER_DEADLINE_MS: '15000',
    LOG_LEVEL: 'error',
  });
  const rival = await openRival(url);
  const ask = async (method: string, path: string, body?: object, headers = {}) => {
    const sent = { ...product.headers, ...headers };
    const init = { method, headers: sent, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${product.url}${path}`, init);
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  return {
    product,
    rival,
    clock,
    env,
    sandboxPort,
    ask,
    hubspot: createSandboxControl(sandboxPort),
    salesforce: createSandboxControl(sandboxPort + 1),
    async search(headers: object) {
      const { status, body } = await ask('POST', '/contacts/_search', ADA, headers);
      return { status, detail: body.errors?.[0].detail as string | undefined };
    },
    async upsert(id: string, connection: object) {
      const customer = {
        customer_id: id,
        name: id,
        email: 'it@example.com',
        connections: [connection],
      };
      expect(await ask('PUT', '/customers', customer)).toMatchObject({ status: 200 });
    },
    async close() {
      await product.stop();
      await rival.close();
      await drop();
      rmSync(folder, { recursive: true });
    },
  };
}

const CACHED = '/contacts/_search?read_from_cache=true';

type World = Awaited<ReturnType<typeof open>>;
