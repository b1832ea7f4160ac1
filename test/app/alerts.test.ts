import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { createTestDatabase } from '../support/databases.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { PROMTOOL } from '../support/machine.ts';
import { openRival } from '../support/postgres-rival.ts';
import { type Product, startProduct } from '../support/product.ts';
import { openRawClient } from '../support/raw-client.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { HAS_REDIS, openRedisProxy } from '../support/redis.ts';
import { createSandboxControl } from '../support/sandbox-control.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { requireAlert, type Scrape, scrape } from './promtool.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Per alert: how to cause the fault in the product, and scrapes while the fault lasts. */
const FAULTS: Readonly<Record<string, Fault>> = {
  CrossbookDown: {
    async make({ product, look }) {
      product.child.kill('SIGKILL');
      await product.ended;
      await look();
    },
  },
  CrossbookBug: {
    async make({ rival, customer, look }) {
      await rival.run('alter table crossbook.customers rename column name to gone');
      expect(await customer()).toBe(500);
      await look();
    },
  },
  CrossbookUnavailable: {
    async make({ proxy, customer, look }) {
      await proxy.cut();
      expect(await customer()).toBe(503);
      await look();
      expect(await customer()).toBe(503);
      await look();
    },
  },
  CrossbookTurnedAway: {
    env: { CROSSBOOK_MAX_REQUESTS: '1' },
    async make({ customer, look }) {
      const answers = await Promise.all(Array.from({ length: 200 }, customer));
      expect(new Set(answers)).toEqual(new Set([200, 503]));
      await look();
    },
  },
  CrossbookRefusals: {
    async make({ product, look }) {
      for (const count of [1, 400]) {
        for (let n = 0; n < count; n++) {
          const client = openRawClient(product.url);
          client.send('NONSENSE\r\n\r\n');
          await client.ended;
        }
        await look();
      }
    },
  },
  CrossbookProviderDown: {
    async make({ sandboxPort, search, metric, look }) {
      const sandbox = createSandboxControl(sandboxPort);
      await sandbox.liftLimits();
      await sandbox.fail({ kind: 'answer', status: 503 }, { times: 1_000 });
      await expect
        .poll(async () => {
          await search();
          return (await metric('crossbook_breakers_open'))['provider="hubspot"'];
        })
        .toBe(1);
      await look();
    },
  },
  CrossbookTokensRefused: {
    async make({ sandboxPort, upsert, search, look }) {
      const credentials = {
        type: 'oauth2',
        access_token: 'old-access-token',
        refresh_token: 'revoked-token',
      };
      await upsert({
        provider_name: 'salesforce',
        instance_url: `http://127.0.0.1:${sandboxPort + 1}`,
        credentials,
      });
      expect(await search({ 'x-customer-id': 'ada', 'x-provider-name': 'salesforce' })).not.toBe(
        200,
      );
      await look();
    },
  },
  CrossbookRefreshRestricted: {
    async make({ sandboxPort, upsert, search, look }) {
      const salesforce = createSandboxControl(sandboxPort + 1);
      await salesforce.fail('ip-restricted', { times: 100, operation: 'oauth.token' });
      const { refreshToken } = await salesforce.account();
      const credentials = {
        type: 'oauth2',
        access_token: 'old-access-token',
        refresh_token: refreshToken,
      };
      await upsert({
        provider_name: 'salesforce',
        instance_url: `http://127.0.0.1:${sandboxPort + 1}`,
        credentials,
      });
      expect(await search({ 'x-customer-id': 'ada', 'x-provider-name': 'salesforce' })).not.toBe(
        200,
      );
      await look();
    },
  },
  CrossbookProviderApiEnds: {
    env: { NODE_OPTIONS: '--import ./test/support/time-of-day.mjs' },
    async make({ product, metric, look }) {
      product.child.send('2100-01-01');
      await expect
        .poll(async () => Object.values(await metric('crossbook_provider_api_ends_soon')))
        .toContain(1);
      await look();
    },
  },
  CrossbookLogLost: {
    env: { LOG_LEVEL: 'info' },
    async make({ product, customer, metric, look }) {
      product.child.stdout?.destroy();
      await expect
        .poll(async () => {
          expect(await customer()).toBe(200);
          return (await metric('crossbook_log_lines_lost_total'))[''];
        })
        .toBeGreaterThan(0);
      await look();
    },
  },
  CrossbookProcessorFull: {
    async make({ product, look, metric }) {
      // Each scrape resets the event loop lag histogram.
      await metric('nodejs_eventloop_lag_seconds');
      // Simulates CPU throttling by a container limit: the process alternates between running and being stopped.
      for (let n = 0; n < 5; n++) {
        product.child.kill('SIGSTOP');
        execFileSync('sleep', ['0.4']);
        product.child.kill('SIGCONT');
        await fetch(`${product.url}/livez`);
      }
      await look();
    },
  },
  CrossbookPoolFull: {
    env: { CROSSBOOK_DATABASE_CONNECTIONS: '1' },
    async make({ rival, customer, lookUntil }) {
      await rival.run('begin');
      await rival.run('lock table crossbook.customers');
      // Statements on a locked table are soon refused at once: some are waiting only while more requests arrive.
      let isOver = false;
      const clients = Array.from({ length: 20 }, async (_, client) => {
        for (let n = 0; !isOver; n += 1) await customer(`unknown-${client}-${n}`);
      });
      await lookUntil((scraped) => readValue(scraped, WAITING) > 0);
      isOver = true;
      await rival.run('rollback');
      await Promise.all(clients);
    },
  },
  CrossbookSyncFailed: {
    async make({ rival, metric, look }) {
      await rival.run(SYNC_CONTACTS);
      const planned = async () => (await rival.run('select 1 from crossbook.syncs')).length;
      await expect.poll(planned).toBeGreaterThan(0);
      await rival.run('update crossbook.syncs set pause_reason = null, failures = 3');
      await expect.poll(async () => (await metric('crossbook_syncs'))['state="failed"']).toBe(1);
      await look();
    },
  },
  CrossbookSyncLag: {
    async make({ rival, metric, look }) {
      await rival.run(SYNC_CONTACTS);
      const planned = async () => (await rival.run('select 1 from crossbook.syncs')).length;
      await expect.poll(planned).toBeGreaterThan(0);
      await rival.run(
        "update crossbook.syncs set pause_reason = null, synced_until = now() - interval '10 hours'",
      );
      await expect
        .poll(async () => (await metric('crossbook_sync_lag_seconds'))[''])
        .toBeGreaterThan(6 * 3_600);
      await look();
    },
  },
  CrossbookRowsNotRemoved: {
    async make({ rival, metric, look }) {
      await rival.run(`insert into crossbook.row_removals
          (application_id, id, customer_id, tables, created_at, next_attempt_at)
        select id, gen_random_uuid(), 'gone', '[]', now() - interval '2 days', now() + interval '1 day'
        from crossbook.applications`);
      await expect
        .poll(async () => (await metric('crossbook_row_removal_age_seconds'))[''])
        .toBeGreaterThan(24 * 3_600);
      await look();
    },
  },
  CrossbookWebhookEndpointFails: {
    async make({ rival, metric, look }) {
      await rival.run(`insert into crossbook.webhook_endpoints
          (id, application_id, url, event_types, enabled, sealed_secret, key_id, failures)
        select gen_random_uuid(), id, 'https://example.com', '{}', false, '', '', 3 from crossbook.applications`);
      await expect
        .poll(async () => (await metric('crossbook_webhook_endpoints'))['state="disabled"'])
        .toBe(1);
      await look();
    },
  },
  CrossbookSweepBehind: {
    env: { NODE_OPTIONS: '--import ./test/support/hours-later.mjs' },
    async make({ product, metric, look }) {
      product.child.send('later');
      await expect
        .poll(async () => (await metric('crossbook_sweep_age_seconds'))['sweep="events"'])
        .toBeGreaterThan(3_600);
      await look();
    },
  },
  CrossbookNoJobs: {
    env: { CROSSBOOK_JOBS: 'off', NODE_OPTIONS: '--import ./test/support/hours-later.mjs' },
    async make({ product, metric, look }) {
      product.child.send('later');
      await expect
        .poll(async () => (await metric('crossbook_jobs_age_seconds'))[''])
        .toBeGreaterThan(300);
      await look();
    },
  },
  CrossbookRedisAway: {
    needsRedis: true,
    async make({ redis, metric, look }) {
      await redis?.cut();
      await expect.poll(async () => (await metric('crossbook_redis_connected'))['']).toBe(0);
      await look();
    },
  },
};

const SYNC_CONTACTS = `insert into crossbook.sync_configurations
    (application_id, provider_name, configuration, version)
  select id, 'hubspot', '{"contacts": true, "standardObjects": [], "customObjects": [], "intervalSeconds": 900, "isEnabled": true}', 1
  from crossbook.applications`;

const RULES = readFileSync('ops/alerts.yaml', 'utf8');
const RUNBOOK = readFileSync('docs/troubleshooting.md', 'utf8');
const ALERTS = [...RULES.matchAll(/alert: (\w+)/g)].map(([, name]) => String(name));

test('every alert has a fault in this test and a heading in the runbook, and there are no faults or headings without an alert', () => {
  expect(Object.keys(FAULTS).sort()).toEqual(ALERTS.toSorted());
  const headings = [...RUNBOOK.matchAll(/^## (Crossbook\w+)$/gm)].map(([, name]) => name);
  expect(headings.sort()).toEqual(ALERTS.toSorted());
  const links = [...RULES.matchAll(/runbook_url: docs\/troubleshooting\.md#(\w+)/g)].map(
    ([, name]) => name,
  );
  expect(links).toEqual(ALERTS.map((name) => name.toLowerCase()));
});

describe.skipIf(!PROMTOOL)('Prometheus alerts', () => {
  test.each(ALERTS.filter((name) => HAS_REDIS || !FAULTS[name]?.needsRedis))(
    '%s does not fire before its fault, fires from the scraped metrics during it, and its first runbook command works',
    async (name) => {
      const { make, env = {}, needsRedis } = FAULTS[name] as Fault;
      const world = await open(env, needsRedis);
      const scrapes: Scrape[] = [];
      const scrapeUntil = async (isSo: (scraped: Scrape) => boolean) => {
        let seen: Scrape = new Map();
        await expect
          .poll(
            async () => {
              seen = await scrape(world.product.url);
              return isSo(seen);
            },
            { interval: 5 },
          )
          .toBe(true);
        scrapes.push(seen);
      };
      // On a busy machine the start itself may cause lag, which each scrape resets.
      await scrapeUntil((seen) => readValue(seen, LAG) < 0.2);
      const [, command = ''] = new RegExp(`## ${name}\\n\\n\`\`\`sh\\n(.*)\\n`).exec(RUNBOOK) ?? [];
      expect(command).toContain('$CROSSBOOK_URL');
      let isDown = false;
      const lookUntil = async (isSo: (scraped: Scrape) => boolean) => {
        await scrapeUntil(isSo);
        isDown = scrapes.at(-1)?.size === 1;
        if (!isDown) expect(runCommand(command, world.product)).not.toBe('');
      };
      await make({ ...world, look: () => lookUntil(() => true), lookUntil });
      if (isDown) expect(runCommand(command, (await open({})).product)).not.toBe('');
      requireAlert(name, scrapes);
    },
  );
});

const WAITING = 'crossbook_database_connections{state="waiting"';
const LAG = 'nodejs_eventloop_lag_seconds{quantile="0.99"';

/** Of the series whose name begins like this. */
function readValue(scraped: Scrape, start: string): number {
  const [, value] = [...scraped].find(([series]) => series.startsWith(start)) ?? [];
  return Number(value);
}

function runCommand(command: string, { url }: Product): string {
  return execFileSync('bash', ['-c', command], {
    env: { ...process.env, CROSSBOOK_URL: url },
    encoding: 'utf8',
  });
}

async function open(env: Record<string, string>, needsRedis = false) {
  const { url, drop } = await createTestDatabase();
  const direct = new URL(url);
  const proxy = await openTcpProxy({ host: direct.hostname, port: Number(direct.port) });
  const behind = new URL(url);
  behind.host = `127.0.0.1:${proxy.port}`;
  const redis = needsRedis ? await openRedisProxy() : undefined;
  const sandboxPort = await findFreePorts();
  const data = makeTemporaryFolder();
  const product = await startProduct({
    DATABASE_URL: behind.href,
    CROSSBOOK_SANDBOX: 'on',
    CROSSBOOK_SANDBOX_PORT: String(sandboxPort),
    CROSSBOOK_DATA: join(data, 'data'),
    LOG_LEVEL: 'error',
    ...(redis && { REDIS_URL: redis.url }),
    ...env,
  });
  const rival = await openRival(url);
  closing.push(async () => {
    product.child.kill('SIGKILL');
    await product.ended;
    await rival.close();
    await Promise.all([proxy.cut(), redis?.cut()].map((cut) => cut?.catch(() => undefined)));
    await drop();
    rmSync(data, { recursive: true });
  });
  const ask = async (method: string, path: string, body?: object, headers = {}) => {
    const sent = {
      ...product.headers,
      'x-customer-id': 'demo',
      'x-provider-name': 'hubspot',
      ...headers,
    };
    const response = await fetch(`${product.url}${path}`, {
      method,
      headers: sent,
      ...(body && { body: JSON.stringify(body) }),
    });
    await response.text();
    return response.status;
  };
  const world = {
    product,
    proxy,
    redis,
    rival,
    sandboxPort,
    customer: (id: unknown = 'demo') =>
      ask('GET', `/customers/${typeof id === 'string' ? id : 'demo'}`),
    upsert: (connection: object) =>
      ask('PUT', '/customers', {
        customer_id: 'ada',
        name: 'Ada',
        email: 'ada@example.com',
        connections: [connection],
      }),
    search: (headers = {}) =>
      ask('POST', '/contacts/_search', { filter: { email: 'ada@example.com' } }, headers),
    metric: async (name: string) =>
      readMetrics(await (await fetch(`${product.url}/metrics`)).text())(name),
  };
  expect(await world.customer()).toBe(200);
  return world;
}

type World = Awaited<ReturnType<typeof open>>;

interface Fault {
  readonly env?: Record<string, string>;
  readonly needsRedis?: boolean;
  make(
    world: World & {
      look(): Promise<void>;
      /** Looks until the scraped metrics are like this. */
      lookUntil(isSo: (scraped: Scrape) => boolean): Promise<void>;
    },
  ): Promise<void>;
}
