import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSandbox, type Sandbox } from '../../src/open-sandbox.ts';
import {
  BATCH_READ,
  createClient,
  createClock,
  type SandboxResponse,
  SEARCH,
  type Send,
} from './client.ts';

const clock = createClock();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ now: clock.now });
});
afterAll(() => sandbox.close());

async function times(
  count: number,
  send: () => Promise<SandboxResponse>,
): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let turn = 0; turn < count; turn += 1) statuses.push((await send()).status);
  return statuses;
}

function rateHeaders({ headers }: SandboxResponse): readonly string[] {
  return [...headers.keys()].filter((name) => name.startsWith('x-hubspot-ratelimit'));
}

test('five searches a second succeed, and the sixth is 429 without details or headers', async () => {
  const send = createClient(sandbox, sandbox.hubspot.createAccount());
  expect(await times(5, () => send(SEARCH, {}))).toEqual([200, 200, 200, 200, 200]);
  const sixth = await send(SEARCH, {});
  expect(sixth.status).toBe(429);
  expect(sixth.body).toEqual({
    status: 'error',
    message: 'You have reached your secondly limit.',
    category: 'RATE_LIMITS',
    correlationId: expect.any(String),
  });
  expect(sixth.headers.get('retry-after')).toBeNull();
  expect(rateHeaders(sixth)).toEqual([]);
  clock.pass(1_000);
  expect((await send(SEARCH, {})).status).toBe(200);
});

test.each([
  ['an OAuth token', 110, undefined],
  ['a static token', 190, 'static'],
])('%s allows %d calls other than searches in ten seconds', async (_whose, max, kind) => {
  const account = sandbox.hubspot.createAccount();
  const plain = createClient(sandbox, account);
  const send: Send = (path, body) => plain(path, body, kind && account.staticToken);
  const first = await send(BATCH_READ, { inputs: [] });
  expect(first.headers.get('x-hubspot-ratelimit-max')).toBe(String(max));
  expect(first.headers.get('x-hubspot-ratelimit-remaining')).toBe(String(max - 1));
  expect(first.headers.get('x-hubspot-ratelimit-interval-milliseconds')).toBe('10000');
  expect(first.headers.has('x-hubspot-ratelimit-daily-remaining')).toBe(kind === 'static');
  expect(new Set(await times(max - 1, () => send(BATCH_READ, { inputs: [] })))).toEqual(
    new Set([200]),
  );
  expect(await send(BATCH_READ, { inputs: [] })).toMatchObject({
    status: 429,
    body: { errorType: 'RATE_LIMIT', policyName: 'TEN_SECONDLY_ROLLING' },
  });
  expect(
    (await send('/crm/v4/associations/contact/company/batch/read', { inputs: [] })).status,
  ).toBe(200);
  clock.pass(10_000);
  expect((await send(BATCH_READ, { inputs: [] })).status).toBe(200);
});

test('a static token has a daily quota, until midnight', async () => {
  const account = sandbox.hubspot.createAccount({ limits: { perDay: 2 } });
  const send: Send = (path, body) =>
    createClient(sandbox, account)(path, body, account.staticToken);
  const statuses = await times(3, () => send(SEARCH, {}));
  expect(statuses).toEqual([200, 200, 429]);
  expect((await send(BATCH_READ, { inputs: [] })).body).toMatchObject({ policyName: 'DAILY' });
  clock.pass(12 * 3_600_000);
  const { headers } = await send(SEARCH, {});
  expect(headers.get('x-hubspot-ratelimit-daily-remaining')).toBe('1');
});

test('accounts have separate limits, and an account without limits has none', async () => {
  const account = sandbox.hubspot.createAccount({ limits: null });
  const send = createClient(sandbox, account);
  expect(new Set(await times(12, () => send(SEARCH, {})))).toEqual(new Set([200]));
  account.setLimits({ searchPerSecond: 1 });
  expect(await times(2, () => send(SEARCH, {}))).toEqual([200, 429]);
});
