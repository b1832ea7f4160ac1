import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Fault } from '../../src/faults.ts';
import { openSandbox, type Sandbox } from '../../src/open-sandbox.ts';
import { BATCH_READ, createClient, ids, SEARCH } from './client.ts';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await openSandbox({ enforceLimits: false });
});
afterAll(() => sandbox.close());

function open() {
  const people = Array.from({ length: 40 }, (_, position) => ({
    email: `p${position}@example.com`,
  }));
  const account = sandbox.hubspot.createAccount({ people });
  return { account, send: createClient(sandbox, account) };
}

test.each([
  ['expired-token', 401, 'EXPIRED_AUTHENTICATION'],
  ['missing-scopes', 403, 'requiredGranularScopes'],
  ['missing-scopes-in-context', 403, '"context":{"requiredGranularScopes"'],
  ['not-found', 404, 'resource not found'],
  ['conflict', 409, 'CONFLICT'],
  ['uri-too-long', 414, '<html>'],
  ['locked', 423, 'locked'],
  ['rate-limit-search', 429, 'RATE_LIMITS'],
  ['rate-limit-secondly-of-old', 429, '"policyName":"SECONDLY"'],
  ['rate-limit-ten-secondly', 429, 'TEN_SECONDLY_ROLLING'],
  ['rate-limit-daily', 429, 'DAILY'],
  ['rate-limit-cloudflare', 429, 'error code: 1015'],
  ['migrating', 477, 'migrated'],
  ['server-error', 500, 'internal error'],
  ['bad-gateway', 502, '<html>'],
  ['unavailable', 503, '<html>'],
  ['gateway-timeout', 504, '<html>'],
  ['origin-down', 521, '<html>'],
  ['origin-timeout', 524, '<html>'],
  ['wrong-shape', 200, '"results":{'],
  ['redirect', 302, ''],
])('%s responds %d, once', async (name, status, text) => {
  const { account, send } = open();
  account.fail(name);
  const answer = await send(SEARCH, {});
  expect(answer.status).toBe(status);
  expect(answer.text).toContain(text);
  expect((await send(SEARCH, {})).status).toBe(200);
  expect(sandbox.hubspot.faultNames).toContain(name);
});

test('Retry-After is in seconds, a date, or missing', async () => {
  const { account, send } = open();
  account.fail('rate-limit-ten-secondly');
  account.fail('rate-limit-retry-after');
  account.fail('rate-limit-retry-after-date');
  account.fail('migrating');
  const retryAfters = [];
  for (let turn = 0; turn < 4; turn += 1)
    retryAfters.push((await send(SEARCH, {})).headers.get('retry-after'));
  expect(retryAfters).toEqual([null, '3', expect.stringMatching(/ GMT$/), '120']);
});

test('a fault can be delayed, repeated, and limited to one operation', async () => {
  const { account, send } = open();
  account.fail(
    { kind: 'answer', status: 500 },
    { after: 1, times: 2, operation: 'contacts.search' },
  );
  const statuses = [];
  for (const path of [SEARCH, BATCH_READ, SEARCH, BATCH_READ, SEARCH, SEARCH])
    statuses.push((await send(path, { inputs: [] })).status);
  expect(statuses).toEqual([200, 200, 500, 200, 500, 200]);
  expect(() => account.fail('no-such-fault')).toThrow('Unknown fault: no-such-fault');
});

test('a fault can empty a page, halve a batch, or truncate JSON', async () => {
  const { account, send } = open();
  const inputs = Array.from({ length: 10 }, (_, position) => ({ id: String(501 + position) }));
  account.fail({ kind: 'empty' });
  expect((await send(SEARCH, {})).body).toMatchObject({ total: 40, results: [] });
  account.fail({ kind: 'partial' });
  expect(ids(await send(BATCH_READ, { inputs }))).toHaveLength(5);
  account.fail({ kind: 'truncated' });
  await expect(send(SEARCH, {})).rejects.toThrow(SyntaxError);
});

test.each<Fault>([{ kind: 'reset' }, { kind: 'reset-midway' }])(
  '$kind resets the connection',
  async (fault) => {
    const { account, send } = open();
    account.fail(fault);
    await expect(send(SEARCH, {})).rejects.toThrow();
    expect((await send(SEARCH, {})).status).toBe(200);
  },
);

test.each<Fault>([{ kind: 'hang' }, { kind: 'stall' }, { kind: 'slow', delayMs: 3_600_000 }])(
  '$kind leaves the client waiting until it disconnects',
  async (fault) => {
    const { account } = open();
    account.fail(fault);
    const gone = new AbortController();
    const pending = fetch(sandbox.hubspot.origin + SEARCH, {
      method: 'POST',
      body: '{}',
      signal: gone.signal,
      headers: { authorization: `Bearer ${account.accessToken}` },
    }).then((response) => response.text());
    while (account.running().length === 0) await new Promise(setImmediate);
    gone.abort();
    await expect(pending).rejects.toThrow('aborted');
    while (account.running().length > 0) await new Promise(setImmediate);
    expect(account.callCount('contacts.search')).toBe(1);
  },
);

test('slow sends the response when the faults are removed', async () => {
  const { account, send } = open();
  account.fail({ kind: 'slow', delayMs: 3_600_000 });
  const pending = send(SEARCH, {});
  while (account.running().length === 0) await new Promise(setImmediate);
  account.clearFaults();
  expect((await pending).status).toBe(200);
});

test.each<Fault>([
  { kind: 'oversized', megabytes: 3 },
  { kind: 'gzip-bomb', megabytes: 3 },
])('$kind sends the requested number of megabytes as valid JSON', async (fault) => {
  const { account, send } = open();
  account.fail(fault);
  const { text, body } = await send(SEARCH, {});
  expect(text.length).toBeGreaterThan(3 * 1024 * 1024);
  expect(body).toEqual({ results: [] });
});
