import { describe, expect, test } from 'vitest';
import type { Credentials } from '../../src/domain/connection.ts';
import { CrossbookError } from '../../src/domain/errors.ts';
import {
  type ProviderResponse,
  RemoteFailure,
  type RemoteRequest,
} from '../../src/domain/remote.ts';
import type { CredentialStore, RefreshedCredentials } from '../../src/domain/tenant.ts';
import type { OAuthClient, RefreshedToken } from '../../src/domain/token-refresh.ts';
import { createConnectionTokens } from '../../src/outbound/access-token/token-endpoint.ts';
import { createOperationLimit } from '../../src/outbound/operation-limit.ts';
import { DEFAULT_SETTINGS } from '../../src/outbound/outbound-options.ts';
import { createFakeClock } from '../support/clock.ts';
import { createConnection } from '../support/connection.ts';
import { toJsonResponse } from '../support/send.ts';

const HOSTS = [/^[a-z0-9-]+\.my\.salesforce\.com$/];
const RETIRED = [/^na\d+\.salesforce\.com$/];
const ACME = 'https://acme.my.salesforce.com';

describe('a refresh', () => {
  test('calls the token endpoint that the provider declares, with this installation’s client', async () => {
    const { asked } = await run();
    expect(asked).toEqual([['https://login.salesforce.com', 'client-1 refresh-0']]);
  });

  test('follows one redirect to another token endpoint, and no second one', async () => {
    const moved = { movedOrigin: () => 'https://test.salesforce.com', redirects: 1 };
    expect((await run(moved)).asked.map(([origin]) => origin)).toEqual([
      'https://login.salesforce.com',
      'https://test.salesforce.com',
    ]);
    const again = await run({ ...moved, redirects: 2 });
    expect(again.asked).toHaveLength(2);
    expect(again.error).toMatchObject({ answer: { status: 301 } });
    expect((await run({ redirects: 1 })).asked).toHaveLength(1);
    const sandbox = await run({ ...moved, instanceUrl: 'http://127.0.0.1:4010' });
    expect(sandbox.asked.map(([origin]) => origin)).toEqual(['http://127.0.0.1:4010']);
  });

  test('asks another token endpoint where the first one does not exist', async () => {
    const movedOrigin = () => 'https://test.salesforce.com';
    const unknown = { answer: { status: 404, headers: {}, body: '<html>' } };
    expect((await run({ movedOrigin, ...unknown })).asked).toHaveLength(2);
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const failure = new CrossbookError('REMOTE_PROVIDER_UNAVAILABLE', 'no such name', { cause });
    expect((await run({ movedOrigin, failure })).asked).toHaveLength(2);
    const down = new CrossbookError('REMOTE_PROVIDER_UNAVAILABLE', 'down', {
      cause: new Error('down'),
    });
    expect((await run({ movedOrigin, failure: down })).asked).toHaveLength(1);
    expect((await run(unknown)).asked).toHaveLength(1);
    const same = { movedOrigin: () => 'https://login.salesforce.com' };
    expect((await run({ ...same, ...unknown })).asked).toHaveLength(1);
  });

  test('calls the sandbox for a connection of the sandbox, with the sandbox’s client', async () => {
    const { asked } = await run({ instanceUrl: 'http://127.0.0.1:4010' });
    expect(asked).toEqual([['http://127.0.0.1:4010', 'sandbox-1 refresh-0']]);
  });

  test('keeps the old refresh token when the response has none', async () => {
    expect((await run({ token: { refreshToken: null } })).result?.credentials.refreshToken).toBe(
      'refresh-0',
    );
    expect((await run({ token: { refreshToken: 'next' } })).result?.credentials.refreshToken).toBe(
      'next',
    );
  });

  test.each([
    ['https://moved.my.salesforce.com', 'https://moved.my.salesforce.com'],
    ['https://Moved.my.salesforce.com/', 'https://moved.my.salesforce.com'],
    ['http://127.0.0.1:4010/', 'http://127.0.0.1:4010'],
    [ACME, undefined],
    [`${ACME}/`, undefined],
    ['https://evil.example', undefined],
    ['http://moved.my.salesforce.com', undefined],
    ['https://169.254.169.254', undefined],
    ['http://127.0.0.1:4011', undefined],
    ['nonsense', undefined],
  ])('an instance that reports its new URL %s', async (instanceUrl, taken) => {
    expect((await run({ token: { instanceUrl } })).result?.instanceUrl).toBe(taken);
  });

  test('replaces a stored URL that is no longer supported by the one that the provider returns', async () => {
    const stored = { instanceUrl: 'https://na139.salesforce.com' };
    const { result } = await run({ ...stored, token: { instanceUrl: ACME } });
    expect(result?.instanceUrl).toBe(ACME);
    expect((await run(stored)).result?.credentials).toMatchObject({ accessToken: 'access-1' });
  });

  test('gives an error that asks to reconnect, without a secret, when it is refused', async () => {
    const body = '{"error":"invalid_grant","was":"refresh-0 secret-1 access-0"}';
    const { error } = await run({
      answer: { status: 400, headers: { server: 'x secret-1' }, body },
    });
    expect(error).toMatchObject({
      code: 'REMOTE_PROVIDER_UNAUTHORIZED',
      message: expect.stringContaining('has to reconnect'),
      remote: { code: 400 },
    });
    expect(JSON.stringify(error)).toContain('[withheld]');
    expect(JSON.stringify(error)).not.toMatch(/refresh-0|secret-1|access-0/);
  });

  test('fails without a client, with an error that says so', async () => {
    expect((await run({ clients: {} })).error).toMatchObject({
      code: 'REMOTE_PROVIDER_UNAUTHORIZED',
      message: expect.stringContaining('no OAuth client of Salesforce'),
    });
  });

  test('is made by the client that received the grant, and by no other', async () => {
    expect((await run({ oauthClientId: 'client-1' })).asked).toHaveLength(1);
    const { asked, error } = await run({ oauthClientId: 'client-0' });
    expect([asked, error]).toEqual([
      [],
      expect.objectContaining({ code: 'REMOTE_PROVIDER_UNAUTHORIZED' }),
    ]);
  });

  test('is never sent to an instance outside the provider’s domains', async () => {
    const { error, asked } = await run({ instanceUrl: 'https://evil.example' });
    expect([error, asked]).toEqual([expect.objectContaining({ code: 'UNPROCESSABLE_ENTITY' }), []]);
  });
});

async function run(setup: Setup = {}) {
  const asked: [string, string | undefined][] = [];
  const token: RefreshedToken = {
    accessToken: 'access-1',
    refreshToken: null,
    expiresAt: null,
    instanceUrl: undefined,
    ...setup.token,
  };
  const clients: Partial<Record<string, OAuthClient>> = setup.clients ?? {
    'https://login.salesforce.com': { clientId: 'client-1', clientSecret: 'secret-1' },
    'https://test.salesforce.com': { clientId: 'client-1', clientSecret: 'secret-1' },
    'http://127.0.0.1:4010': { clientId: 'sandbox-1', clientSecret: 'sandbox-secret-1' },
  };
  const { tokens } = createConnectionTokens({
    target: { provider: 'salesforce', connectionId: 'c' },
    owners: { application: 'a' },
    findOAuthClient: async ({ origin, clientId }) =>
      clientId === null || clients[origin]?.clientId === clientId ? clients[origin] : undefined,
    providers: new Map([['salesforce', { instanceHosts: HOSTS, retiredHosts: RETIRED }]]),
    sandboxOrigins: ['http://127.0.0.1:4010'],
    clock: createFakeClock(),
    random: () => 0,
    settings: DEFAULT_SETTINGS,
    waiting: createOperationLimit(10),
    access: {
      origin: () => undefined,
      refresh: {
        origin: () => 'https://login.salesforce.com',
        ...(setup.movedOrigin && { movedOrigin: setup.movedOrigin }),
        toRequest: ({ client, refreshToken: secret }): RemoteRequest => ({
          method: 'POST',
          path: '/token',
          budget: 'token',
          body: `${client.clientId} ${secret}`,
          retry: 'never',
        }),
        readAnswer(answer) {
          if (answer.status === 200) return token;
          throw new RemoteFailure('REMOTE_PROVIDER_UNAUTHORIZED', 'refused', answer);
        },
      },
    },
    transport: {
      async send({ origin, request }) {
        asked.push([origin, request.body]);
        if (asked.length <= (setup.redirects ?? 0))
          throw new RemoteFailure('REMOTE_PROVIDER_BAD_RESPONSE', 'moved', {
            status: 301,
            headers: {},
            body: '',
          });
        if (setup.failure) throw setup.failure;
        return toJsonResponse(setup.answer ?? { status: 200, headers: {}, body: '' });
      },
    },
  });
  const credentials: Credentials = {
    type: 'oauth2',
    accessToken: 'access-0',
    refreshToken: 'refresh-0',
    expiresAt: null,
  };
  const stored = {
    credentials,
    generation: 1,
    isRefused: false,
    instanceUrl: setup.instanceUrl ?? ACME,
    oauthClientId: setup.oauthClientId ?? null,
  };
  let result: RefreshedCredentials | undefined;
  const store: CredentialStore = {
    read: async () => stored,
    async refreshOnce(_id, _seen, refresh) {
      result = await refresh(stored);
      return stored;
    },
    markRefused: async () => undefined,
    markTried: async () => undefined,
  };
  const source = { connection: createConnection('salesforce'), credentials: store };
  // Its later effects, such as a host that no token is sent to, are tested elsewhere.
  const error = await tokens.refreshStored(source, stored.generation).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { result, error: result ? undefined : error, asked };
}

interface Setup {
  readonly token?: Partial<RefreshedToken>;
  readonly answer?: ProviderResponse;
  /** OAuth clients by the origin of their token endpoint. */
  readonly clients?: Readonly<Record<string, OAuthClient>>;
  readonly instanceUrl?: string;
  /** The id of the client that received the grant. */
  readonly oauthClientId?: string;
  readonly movedOrigin?: () => string;
  readonly failure?: Error;
  /** The number of answers that are redirects. */
  readonly redirects?: number;
}
