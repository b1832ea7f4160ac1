import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createJobs } from '../../src/jobs.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { runCli } from '../support/run-cli.ts';
import { toFetch } from '../support/to-fetch.ts';
import { openReceiver, type Receiver } from '../support/webhook-receiver.ts';

const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
let own: TestDatabase;
let serving: TestApp;
let receiver: Receiver;
let announced = 0;
beforeAll(async () => {
  own = await createTestDatabase();
  receiver = await openReceiver((response) => response.writeHead(204).end());
  const announceWork = () => void announced++;
  serving = await openApp({ database: { url: own.url }, jobs: false }, { announceWork });
});
afterAll(async () => {
  await serving.close();
  await receiver.close();
  await own.drop();
});

test('a process without jobs leaves deliveries to one that does them, and tells it of new ones', async () => {
  const made = await serving.rest('POST', '/webhook_endpoints', { url: receiver.url });
  expect(made.status).toBe(201);
  const connections = [{ provider_name: 'hubspot', credentials: { type: 'token', value: 'x' } }];
  const customer = { customer_id: 'c', name: 'N', email: 'n@example.com', connections };
  const before = announced;
  expect((await serving.rest('PUT', '/customers', customer)).status).toBe(200);
  expect(announced).toBeGreaterThan(before);
  const doctor = await runCli(['doctor', '--json'], {
    env: { DATABASE_URL: own.url, CROSSBOOK_KEYS: KEYS },
    fetch: async () => new Response(null),
  });
  expect(doctor.json()).toContainEqual({
    subject: 'jobs',
    state: 'warning',
    detail: expect.stringContaining('No process has done jobs yet'),
  });
  expect(receiver.calls).toEqual([]);

  const jobs = await openJobs();
  await expect.poll(() => receiver.calls.length).toBeGreaterThan(0);
  const after = await runCli(['doctor', '--json'], {
    env: { DATABASE_URL: own.url, CROSSBOOK_KEYS: KEYS },
    fetch: async () => new Response(null),
  });
  expect(after.json()).toContainEqual(expect.objectContaining({ subject: 'jobs', state: 'ok' }));
  await jobs.close();
});

test('both kinds of processes report how long no process has done jobs', async () => {
  const response = await toFetch(serving.app.answer)(new Request('http://crossbook.test/metrics'));
  const read = readMetrics(await response.text());
  expect(read('crossbook_jobs_age_seconds')['']).toBeGreaterThanOrEqual(0);
  const jobs = await openJobs();
  const gauges = (await jobs.readMetrics()).map(({ name }) => name);
  expect(gauges).toContain('crossbook_jobs_age_seconds');
  await jobs.close();
});

function openJobs() {
  const config = {
    ...readConfig({ CROSSBOOK_PROVIDER_DEADLINE_MS: '120000' }),
    database: { url: own.url },
    keys: KEYS,
  };
  const logging = { output: { write: () => undefined }, readable: false };
  const timeouts = { database: PATIENT_DATABASE, queueMs: 600_000 };
  return createJobs(config, logging, { sandbox: serving.sandbox, timeouts });
}
