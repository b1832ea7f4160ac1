import type { IncomingMessage, RequestListener } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Authorization,
  AuthorizationFailure,
  type Grant,
  type OAuthClientQuery,
} from '../../src/domain/oauth.ts';
import { RemoteFailure } from '../../src/domain/remote.ts';
import { createOutbound } from '../../src/outbound/outbound.ts';
import { openWireServer } from '../support/wire-server.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const SECRETS = [
  'code-of-one-customer',
  'verifier-of-one-flow',
  'secret-of-the-client',
  'refresh-of-one-grant',
];
const [CODE, VERIFIER, SECRET, REFRESH] = SECRETS as [string, string, string, string];

describe('a code', () => {
  test('is exchanged once, with its parameters, and gives a grant that belongs to the sandbox', async () => {
    const { exchange, asked } = await open((_, response) => response.end('{}'));
    expect(await exchange()).toEqual({
      ...GRANT,
      instanceUrl: 'http://crm.sandbox.localhost/of/1',
      account: { ...GRANT.account, url: null },
    });
    expect(asked).toEqual([
      ['/token', `${CODE} ${VERIFIER} ${SECRET} https://crossbook.example/back`],
    ]);
  });

  test('gives no name to an account of the sandbox that is named by its host', async () => {
    const answer = { account: { ...GRANT.account, name: 'app.crm.example' } };
    const { exchange } = await open((_, response) => response.end(JSON.stringify(answer)));
    expect(await exchange()).toMatchObject({
      account: { ...GRANT.account, name: null, url: null },
    });
  });

  test('gives no long or unstorable texts of its account, and no others as scopes', async () => {
    const scopes = [...GRANT.scopes, 'x'.repeat(101), 'a\0b', '', ...Array(1_000).fill('more')];
    const account = { ...GRANT.account, name: 'x'.repeat(256), userId: '7\0' };
    const { exchange } = await open((_, response) =>
      response.end(JSON.stringify({ scopes, account })),
    );
    const grant = (await exchange()) as Grant;
    expect(grant.account).toMatchObject({ id: GRANT.account?.id, name: null, userId: null });
    expect(grant.scopes).toHaveLength(500);
    expect(new Set(grant.scopes)).toEqual(new Set([...GRANT.scopes, 'more']));
  });

  test.each([429, 500, 503])('is not sent again after a response of %i', async (status) => {
    const { exchange, asked } = await open((_, response) => response.writeHead(status).end());
    expect(await exchange()).toMatchObject({ failure: 'VENDOR_UNAVAILABLE' });
    expect(asked).toHaveLength(1);
  });

  test('is not sent again when its response is lost', async () => {
    const { exchange, asked } = await open((request) => request.socket.destroy());
    expect(await exchange()).toMatchObject({ failure: 'VENDOR_UNAVAILABLE' });
    expect(asked).toHaveLength(1);
  });

  test('is exchanged within its time limit, or fails', async () => {
    const { exchange } = await open(() => undefined, { deadlineMs: 50 });
    expect(await exchange()).toMatchObject({
      failure: 'VENDOR_UNAVAILABLE',
      cause: { code: 'REMOTE_PROVIDER_TIMEOUT' },
    });
  });

  test('does not follow a redirect', async () => {
    const { exchange, asked } = await open((_, response) =>
      response.writeHead(307, { location: 'https://evil.example/token' }).end(),
    );
    expect(await exchange()).toMatchObject({ failure: 'VENDOR_REFUSED' });
    expect(asked).toHaveLength(1);
  });

  test('gives an error without secrets when it is refused, in any encoding of the response', async () => {
    const { exchange } = await open((_, response) => {
      const spelled = [...SECRETS, ...SECRETS.map((one) => Buffer.from(one).toString('base64'))];
      response
        .writeHead(400, { 'x-echo': spelled.join(' ') })
        .end(JSON.stringify({ spelled, kept: 'plain' }));
    });
    const failure = await exchange();
    expect(failure).toMatchObject({ failure: 'VENDOR_REFUSED', cause: { remote: { code: 400 } } });
    const shown = inspect(failure, { depth: 20 });
    expect(shown).toContain('plain');
    for (const secret of SECRETS.slice(0, 3)) {
      expect(shown).not.toContain(secret);
      expect(shown).not.toContain(Buffer.from(secret).toString('base64'));
    }
  });

  test.each([
    'https://evil.example',
    'https://login.crm.example.evil.example',
    'http://127.0.0.1:1',
    'https://LOGIN.crm.example',
  ])('is not sent to %s', async (loginOrigin) => {
    const { exchange, asked } = await open((_, response) => response.end('{}'));
    expect(await exchange({ loginOrigin })).toMatchObject({ failure: 'VENDOR_REFUSED' });
    expect(asked).toEqual([]);
  });

  test('is sent to the token endpoint of the login host, whose resolved addresses are checked', async () => {
    const looked: string[] = [];
    const { exchange, wanted } = await open((_, response) => response.end('{}'), {
      lookup: async (host) => {
        looked.push(host);
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });
    expect(await exchange({ loginOrigin: 'https://login.crm.example' })).toMatchObject({
      failure: 'VENDOR_UNAVAILABLE',
      message: 'api.crm.example resolves to a private address.',
    });
    expect(looked).toEqual(['api.crm.example']);
    expect(wanted).toMatchObject([{ origin: 'https://api.crm.example', clientId: 'client-1' }]);
  });

  test('is exchanged by the client that asked for consent, and by no other', async () => {
    const { exchange, asked } = await open((_, response) => response.end('{}'));
    expect(await exchange({ oauthClientId: 'client-2' })).toMatchObject({
      failure: 'VENDOR_REFUSED',
    });
    expect(asked).toEqual([]);
  });
});

describe('a grant', () => {
  test('is rejected when it lacks scopes, with their names', async () => {
    const { exchange } = await open((_, response) => response.end('{"scopes":["other"]}'));
    expect(await exchange()).toMatchObject({
      failure: 'MISSING_SCOPES',
      missingScopes: ['contacts'],
      message: 'Not granted: contacts.',
    });
  });

  test('without an account leads to a second call, whose failure contains no token', async () => {
    const { exchange, asked } = await open((request, response) => {
      if (request.url === '/token') response.end('{"account":null}');
      else response.writeHead(400).end(`refresh-of-one-grant access-of-one-grant ${SECRET} plain`);
    });
    const shown = inspect(await exchange(), { depth: 20 });
    expect(asked.map(([path]) => path)).toEqual(['/token', '/whose']);
    expect(shown).toContain('VENDOR_REFUSED');
    expect(shown).not.toMatch(/of-one-grant|secret-of/);
  });

  test('with an account is accepted even when the second call for its name fails', async () => {
    const { exchange } = await open((request, response) => {
      if (request.url === '/token') response.end('{"account":{"id":"1","name":null}}');
      else response.writeHead(503).end();
    });
    expect(await exchange()).toMatchObject({ account: { id: '1', name: null } });
  });

  test.each([
    [200, true],
    [400, false],
  ])('is revoked when the provider responds %i: %s', async (status, isRevoked) => {
    const { revoke, asked } = await open((_, response) => response.writeHead(status).end());
    expect(await revoke()).toBe(isRevoked);
    expect(asked).toEqual([['/revoke', `${REFRESH} ${SECRET}`]]);
  });

  test('gives the reason when it cannot be revoked, without the token', async () => {
    const { revoke, asked } = await open((_, response) => response.end());
    expect(await revoke({ oauthClientId: 'client-2' })).toMatchObject({
      code: 'UNPROCESSABLE_ENTITY',
    });
    expect(await revoke({ instanceUrl: 'https://evil.example' })).toMatchObject({
      code: 'UNPROCESSABLE_ENTITY',
    });
    expect(asked).toEqual([]);
    const moved = await open((_, response) =>
      response.writeHead(302, { location: `/${REFRESH}` }).end(REFRESH),
    );
    const error = await moved.revoke();
    expect(error).toMatchObject({ code: 'REMOTE_PROVIDER_BAD_RESPONSE' });
    expect(inspect(error, { depth: 20 })).not.toContain(REFRESH);
  });

  test('is not implemented for a provider without a consent page', async () => {
    const { exchange, revoke } = await open((_, response) => response.end(), {
      authorization: undefined,
    });
    expect(await exchange()).toMatchObject({ code: 'NOT_IMPLEMENTED' });
    expect(await revoke()).toMatchObject({ code: 'NOT_IMPLEMENTED' });
  });
});

async function open(listener: RequestListener, options: Options = {}) {
  const asked: [string | undefined, string][] = [];
  const wanted: OAuthClientQuery[] = [];
  const { origin, close } = await openWireServer(async (request, response) => {
    asked.push([request.url, await readBody(request)]);
    listener(request, response);
  });
  const outbound = createOutbound({
    providers: new Map(),
    sandboxOrigins: [origin, 'http://crm.sandbox.localhost'],
    findSandboxLogin: (loginOrigin) =>
      loginOrigin === origin
        ? { tokenOrigin: origin, toInstanceUrl: () => 'http://crm.sandbox.localhost/of/1' }
        : undefined,
    async findOAuthClient(one) {
      wanted.push(one);
      return one.clientId === 'client-1'
        ? { clientId: 'client-1', clientSecret: SECRET }
        : undefined;
    },
    settings: { deadlineMs: options.deadlineMs ?? 600_000 },
    ...(options.lookup && { lookup: options.lookup }),
  });
  closing.push(close, outbound.close);
  const authorization = 'authorization' in options ? undefined : AUTHORIZATION;
  const provider = {
    name: 'hubspot' as const,
    instanceHosts: [/^app\.crm\.example$/],
    ...(authorization && { authorization }),
  };
  const call = { provider, applicationId: 'application', oauthClientId: 'client-1' };
  const given = {
    code: CODE,
    codeVerifier: VERIFIER,
    redirectUri: 'https://crossbook.example/back',
    requiredScopes: ['contacts'],
  };
  const caught = (error: unknown) => error;
  return {
    asked,
    wanted,
    exchange: (other: { loginOrigin?: string; oauthClientId?: string } = {}) =>
      outbound.exchangeCode({ ...call, ...given, loginOrigin: origin, ...other }).catch(caught),
    revoke: (other: { instanceUrl?: string; oauthClientId?: string } = {}) =>
      outbound
        .revokeGrant({ ...call, refreshToken: REFRESH, instanceUrl: origin, ...other })
        .catch(caught),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

const GRANT: Grant & { account: object } = {
  accessToken: 'access-of-one-grant',
  refreshToken: REFRESH,
  expiresAt: null,
  instanceUrl: 'https://app.crm.example/1',
  scopes: ['contacts'],
  account: { id: '1', name: 'One', url: 'https://app.crm.example/1', userId: null },
};

/** A generic fake CRM: its answers are the fields of the grant that differ. */
const AUTHORIZATION: Authorization = {
  baseScopes: ['contacts'],
  recordScopes: {},
  impliedScopes: {},
  scopeTitles: {},
  logins: [{ name: 'Crm', origin: 'https://login.crm.example' }],
  loginHosts: [/^login\.crm\.example$/],
  toConsentUrl: ({ loginOrigin }) => loginOrigin,
  tokenOrigin: () => 'https://api.crm.example',
  toExchange: ({ client, code, codeVerifier, redirectUri }) => ({
    method: 'POST',
    path: '/token',
    budget: 'token',
    retry: 'never',
    body: `${code} ${codeVerifier} ${client.clientSecret} ${redirectUri}`,
  }),
  readGrant(answer) {
    if (answer.status === 400) {
      throw new AuthorizationFailure('VENDOR_REFUSED', 'Refused.', {
        cause: new RemoteFailure('REMOTE_PROVIDER_ERROR', answer.body, answer),
      });
    }
    if (answer.status !== 200)
      throw new RemoteFailure('REMOTE_PROVIDER_UNAVAILABLE', 'Away.', answer);
    return { ...GRANT, ...(JSON.parse(answer.body) as object) };
  },
  identify: {
    toRequest: () => ({ method: 'POST', path: '/whose', budget: 'token', retry: 'never' }),
    readAccount(answer) {
      throw new RemoteFailure('REMOTE_PROVIDER_ERROR', answer.body, answer);
    },
  },
  readDenial: () => 'VENDOR_REFUSED',
  revocation: {
    origin: (instanceUrl) => instanceUrl ?? undefined,
    toRequest: ({ client, refreshToken }) => ({
      method: 'POST',
      path: '/revoke',
      budget: 'token',
      retry: 'never',
      body: `${refreshToken} ${client.clientSecret}`,
    }),
    isRevoked: ({ status }) => status === 200,
  },
};

interface Options {
  readonly deadlineMs?: number;
  readonly lookup?: (host: string) => Promise<readonly { address: string; family: number }[]>;
  readonly authorization?: undefined;
}
