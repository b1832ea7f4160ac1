import { describe, expect, test } from 'vitest';
import { BACKGROUND_WORK } from '../../src/admission/work.ts';
import { CrossbookError } from '../../src/domain/errors.ts';
import type { RateLimit } from '../../src/domain/provider.ts';
import type { ProviderResponse, RemoteRequest } from '../../src/domain/remote.ts';
import { timedOut } from '../../src/outbound/failures.ts';
import type { Call } from '../../src/outbound/http/transport.ts';
import { createOperationLimit } from '../../src/outbound/operation-limit.ts';
import { DEFAULT_SETTINGS } from '../../src/outbound/outbound-options.ts';
import { ProviderClient } from '../../src/outbound/provider-client.ts';
import { createFakeClock } from '../support/clock.ts';
import { createConnection } from '../support/connection.ts';
import { createFakeCredentials } from '../support/fake-credentials.ts';
import { toJsonResponse } from '../support/send.ts';
import { createFakeAccess } from './fake-access.ts';

const ORIGIN = 'http://127.0.0.1:4010';
const DOWN = new CrossbookError('REMOTE_PROVIDER_TIMEOUT', 'no answer');

describe('a provider client', () => {
  test('sends calls that waited for a token refresh with the new token', async () => {
    const { send, calls, clock, credentials, client } = open({
      calls: 1,
      intervalMs: 1_000,
      concurrency: 9,
    });
    await send('/first');
    const waiting = send('/waited');
    await clock.advance(500);
    credentials.put({ type: 'token', value: 'renewed' });
    client.forget();
    const other = send('/other');
    await clock.advance(3_000);
    await Promise.all([waiting, other]);
    expect(calls.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer access-0',
      'Bearer renewed',
      'Bearer renewed',
    ]);
  });

  test('names the rate limit as the cause when a call waited for most of its time', async () => {
    const { send, clock, answers } = open({ calls: 1, intervalMs: 15_000, concurrency: 9 });
    await send('/first');
    answers.push(timedOut('remote-provider'));
    const waited = expect(send('/waited')).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_RATE_LIMITED',
      origin: 'crossbook',
      retryAfterMs: 15_000,
    });
    await clock.advance(16_000);
    await waited;
    // The provider is not taken for down.
    expect(await Promise.all([send('/later'), clock.advance(16_000)])).toMatchObject([
      { status: 200 },
      undefined,
    ]);
  });

  test('reports whether a call waits for its budget or is running', async () => {
    const { client, source, clock } = open({ calls: 1, intervalMs: 1_000, concurrency: 9 });
    const told: string[] = [];
    const request: RemoteRequest = { method: 'GET', path: '/', budget: 'general', retry: 'safe' };
    const onProgress = (progress: string) => told.push(progress);
    const send = () => client.send({ ...source, onProgress }, request, clock.now() + 5_000);
    await send();
    const second = send();
    await clock.advance(2_000);
    await second;
    expect(told).toEqual(['sent', 'queued', 'sent']);
  });

  test('rejects waiting calls when the provider turns out to be down', async () => {
    const { send, calls, clock, answers } = open({ concurrency: 1 });
    answers.push(DOWN);
    const all = Promise.allSettled([1, 2, 3].map((index) => send(`/${index}`)));
    await clock.advance(1);
    const refused = (await all).map(
      (one) => one.status === 'rejected' && (one.reason as CrossbookError).code,
    );
    expect(refused).toEqual([
      'REMOTE_PROVIDER_TIMEOUT',
      'REMOTE_PROVIDER_UNAVAILABLE',
      'REMOTE_PROVIDER_UNAVAILABLE',
    ]);
    expect(calls).toHaveLength(1);
    await clock.advance(10_000);
    expect(await send('/later')).toMatchObject({ status: 200 });
  });

  test('forgets the state of the host that its connection has left', async () => {
    const { send, clock, answers, client, credentials, source } = open({ concurrency: 1 });
    client.use({ ...source.connection, instanceUrl: `${ORIGIN}/old` });
    answers.push(DOWN);
    await send('/old').catch(() => undefined);
    await expect(send('/old')).rejects.toMatchObject({ code: 'REMOTE_PROVIDER_UNAVAILABLE' });
    client.use({ ...source.connection, instanceUrl: `${ORIGIN}/new` });
    expect(await send('/new')).toMatchObject({ status: 200 });
    expect(credentials.calls.reads).toBe(2);
    expect(clock.pending).toBe(0);
  });

  test('waits for the store until the deadline of the call at most', async () => {
    const { client, source, clock } = open({ concurrency: 1 });
    const stuck = {
      ...source,
      credentials: { ...source.credentials, read: () => new Promise<never>(() => {}) },
    };
    const request: RemoteRequest = { method: 'GET', path: '/', budget: 'general', retry: 'safe' };
    const refused = expect(client.send(stuck, request, clock.now() + 2_000)).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_TIMEOUT',
    });
    await clock.advance(2_000);
    await refused;
  });

  test('rejects a call on a budget that its provider does not declare', async () => {
    const { client, source, clock } = open({ concurrency: 1 });
    const request: RemoteRequest = { method: 'GET', path: '/', budget: 'other', retry: 'safe' };
    await expect(client.send(source, request, clock.now() + 2_000)).rejects.toThrow(
      'does not declare',
    );
  });

  test('is idle when it has no state worth keeping', async () => {
    const { send, client, clock } = open({ calls: 2, intervalMs: 1_000, concurrency: 1 });
    await send('/');
    expect(client.isIdle()).toBe(false);
    await clock.advance(2_000);
    expect(client.isIdle()).toBe(true);
  });
});

function open(budget: RateLimit) {
  const clock = createFakeClock();
  const calls: Call[] = [];
  const answers: (ProviderResponse | Error)[] = [];
  const credentials = createFakeCredentials(
    { type: 'oauth2', accessToken: 'access-0', refreshToken: null, expiresAt: null },
    ORIGIN,
  );
  const connection = createConnection('hubspot');
  const client = new ProviderClient(
    {
      waiting: createOperationLimit(10),
      findOAuthClient: async () => undefined,
      providers: new Map(),
      sandboxOrigins: [ORIGIN],
      clock,
      random: () => 0,
      settings: { ...DEFAULT_SETTINGS, breakerFailures: 1 },
      transport: {
        async send(call) {
          calls.push(call);
          await Promise.resolve();
          const answer = answers.shift();
          if (answer instanceof Error) throw answer;
          return toJsonResponse(answer ?? { status: 200, headers: {}, body: '' });
        },
      },
    },
    { connection, access: createFakeAccess({ budgets: { general: budget } }) },
  );
  const source = { connection, credentials: credentials.store, work: BACKGROUND_WORK };
  const send = (path: string) =>
    client.send(
      source,
      { method: 'GET', path, budget: 'general', retry: 'safe' },
      clock.now() + 20_000,
    );
  return { clock, calls, answers, credentials, client, source, send };
}
