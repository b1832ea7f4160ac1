import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSandbox, type Sandbox } from '../../../src/sandbox/open-sandbox.ts';
import { type Answered, type Ask, BATCH_READ, createAsk, createClock, SEARCH } from './ask.ts';

const clock = createClock();
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ now: clock.now });
});
afterAll(() => sandbox.close());

async function times(count: number, ask: () => Promise<Answered>): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let turn = 0; turn < count; turn += 1) statuses.push((await ask()).status);
  return statuses;
}

function rateHeaders({ headers }: Answered): readonly string[] {
  return [...headers.keys()].filter((name) => name.startsWith('x-hubspot-ratelimit'));
}

test('five searches a second pass, the sixth is a 429 that says very little', async () => {
  const ask = createAsk(sandbox, sandbox.hubspot.createAccount());
  expect(await times(5, () => ask(SEARCH, {}))).toEqual([200, 200, 200, 200, 200]);
  const sixth = await ask(SEARCH, {});
  expect(sixth.status).toBe(429);
  expect(sixth.body).toEqual({
    ...{ status: 'error', message: 'You have reached your secondly limit.', category: 'RATE_LIMITS' },
    correlationId: expect.any(String),
  });
  expect(sixth.headers.get('retry-after')).toBeNull();
  expect(rateHeaders(sixth)).toEqual([]);
  clock.pass(1_000);
  expect((await ask(SEARCH, {})).status).toBe(200);
});

test.each([
  ['an OAuth token', 110, undefined],
  ['a static token', 190, 'static'],
])('in ten seconds %s has %d other calls', async (_whose, max, kind) => {
  const account = sandbox.hubspot.createAccount();
  const plain = createAsk(sandbox, account);
  const ask: Ask = (path, body) => plain(path, body, kind && account.staticToken);
  const first = await ask(BATCH_READ, { inputs: [] });
  expect(first.headers.get('x-hubspot-ratelimit-max')).toBe(String(max));
  expect(first.headers.get('x-hubspot-ratelimit-remaining')).toBe(String(max - 1));
  expect(first.headers.get('x-hubspot-ratelimit-interval-milliseconds')).toBe('10000');
  expect(first.headers.has('x-hubspot-ratelimit-daily-remaining')).toBe(kind === 'static');
  expect(new Set(await times(max - 1, () => ask(BATCH_READ, { inputs: [] })))).toEqual(new Set([200]));
  expect(await ask(BATCH_READ, { inputs: [] })).toMatchObject({
    status: 429,
    body: { errorType: 'RATE_LIMIT', policyName: 'TEN_SECONDLY_ROLLING' },
  });
  expect((await ask('/crm/v4/associations/contact/company/batch/read', { inputs: [] })).status).toBe(200);
  clock.pass(10_000);
  expect((await ask(BATCH_READ, { inputs: [] })).status).toBe(200);
});

test('a static token has a day’s worth of calls, until midnight', async () => {
  const account = sandbox.hubspot.createAccount({ limits: { perDay: 2 } });
  const ask: Ask = (path, body) => createAsk(sandbox, account)(path, body, account.staticToken);
  const statuses = await times(3, () => ask(SEARCH, {}));
  expect(statuses).toEqual([200, 200, 429]);
  expect((await ask(BATCH_READ, { inputs: [] })).body).toMatchObject({ policyName: 'DAILY' });
  clock.pass(12 * 3_600_000);
  const { headers } = await ask(SEARCH, {});
  expect(headers.get('x-hubspot-ratelimit-daily-remaining')).toBe('1');
});

test('accounts do not share their limits, and one without limits has none', async () => {
  const account = sandbox.hubspot.createAccount({ limits: null });
  const ask = createAsk(sandbox, account);
  expect(new Set(await times(12, () => ask(SEARCH, {})))).toEqual(new Set([200]));
  account.setLimits({ searchPerSecond: 1 });
  expect(await times(2, () => ask(SEARCH, {}))).toEqual([200, 429]);
});
