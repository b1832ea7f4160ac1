import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { CallEvent } from '../../src/outbound/outbound-options.ts';
import { byDomain } from '../support/by-domain.ts';
import { openWireServer } from '../support/wire-server.ts';
import { createFakeAccess, openStub } from './fake-access.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('a call', () => {
  test('has the token and the adapter’s request, and nothing of the client’s request', async () => {
    const { openPort, requests } = await open((_, response) => response.end('7'));
    expect(await openPort().count(byDomain('x.co'))).toBe(7);
    const { host, connection, ...headers } = requests[0]?.headers ?? {};
    expect(headers).toEqual({
      accept: 'application/json',
      'accept-encoding': 'gzip',
      authorization: 'Bearer access-0',
      'user-agent': 'crossbook',
      'x-adapter': 'yes',
    });
  });

  test('gives an error without the token when it fails', async () => {
    const { openPort } = await open((request, response) => {
      response.writeHead(400).end(`{"sent":"${request.headers.authorization}"}`);
    });
    await expect(openPort().count(byDomain('x.co'))).rejects.toThrow(/^\[withheld\]$/);
  });

  test('gives an error without the token that was refreshed for it when it fails', async () => {
    const { openPort } = await open((request, response) => {
      const { authorization } = request.headers;
      if (request.url === '/token') response.end('access-renewed');
      else if (authorization !== 'Bearer access-renewed') response.writeHead(401).end();
      else response.writeHead(400).end(`{"sent":"${authorization}"}`);
    });
    await expect(openPort().count(byDomain('x.co'))).rejects.toThrow(/^\[withheld\]$/);
  });

  test('gives an error without a token that another process refreshed meanwhile when it fails', async () => {
    const { openPort, credentials } = await open((request, response) => {
      const { authorization } = request.headers;
      if (authorization === 'Bearer access-0') {
        credentials.put({ ...RENEWABLE, accessToken: 'access-of-another' });
        response.writeHead(401).end();
      } else response.writeHead(400).end(`{"sent":"${authorization}"}`);
    });
    await expect(openPort().count(byDomain('x.co'))).rejects.toThrow(/^\[withheld\]$/);
    expect(credentials.calls.refreshes).toBe(0);
  });

  test('is reported afterwards, without secrets or personal data', async () => {
    const events: CallEvent[] = [];
    const { openPort } = await open((_, response) => response.writeHead(404).end(), {
      onCall: (event) => events.push(event),
    });
    await openPort()
      .count(byDomain('ada@x.co'))
      .catch(() => undefined);
    expect(events).toEqual([
      {
        provider: 'hubspot',
        connectionId: expect.any(String),
        budget: 'general',
        outcome: 'answered',
        status: 404,
        waitedMs: 0,
        ms: expect.any(Number),
      },
    ]);
  });

  test('for a token refresh is reported as well', async () => {
    const told: unknown[] = [];
    const { openPort } = await open(
      (request, response) => {
        if (request.url === '/token') response.end('access-1');
        else
          response
            .writeHead(request.headers.authorization === 'Bearer access-1' ? 200 : 401)
            .end('7');
      },
      { onCall: ({ outcome, status }) => told.push([outcome, status]) },
    );
    await openPort().count(byDomain('x.co'));
    expect(told).toEqual([
      ['answered', 401],
      ['answered', 200],
      ['answered', 200],
    ]);
  });

  test('is not made for a connection that must be reconnected', async () => {
    const { openPort, credentials, requests } = await open((_, response) => response.end('7'));
    await credentials.store.markRefused('', 1, 'refresh_token_refused');
    await expect(openPort().count(byDomain('x.co'))).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_UNAUTHORIZED',
      message: expect.stringContaining('has to reconnect'),
    });
    expect(requests).toEqual([]);
  });

  test('is made when only the cached status says to reconnect', async () => {
    const { openPort } = await open((_, response) => response.end('7'));
    expect(await openPort({ status: 'reauthorize' }).count(byDomain('x.co'))).toBe(7);
  });

  test('is not made without credentials', async () => {
    const { openPort, credentials, requests } = await open((_, response) => response.end('7'));
    credentials.remove();
    await expect(openPort().count(byDomain('x.co'))).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_UNAUTHORIZED',
      message: expect.stringContaining('no credentials'),
    });
    expect(requests).toEqual([]);
  });

  test.each(['https://evil.example', 'http://127.0.0.1:1', null])(
    'is not made to %s',
    async (instanceUrl) => {
      const { openPort, requests } = await open((_, response) => response.end('7'), {
        connection: { instanceUrl },
      });
      await expect(openPort().count(byDomain('x.co'))).rejects.toMatchObject({
        code: 'UNPROCESSABLE_ENTITY',
      });
      expect(requests).toEqual([]);
    },
  );

  test('does not follow a redirect', async () => {
    const { openPort, requests } = await open((_, response) =>
      response.writeHead(302, { location: '/b' }).end(),
    );
    await expect(openPort().count(byDomain('x.co'))).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_BAD_RESPONSE',
      message: expect.stringContaining('redirect'),
    });
    expect(requests.map(({ url }) => url)).toEqual(['/count/x.co']);
  });

  test('is retried when the response is a temporary error', async () => {
    const statuses = [503, 500, 200];
    const { openPort, requests } = await open(
      (_, response) => response.writeHead(statuses.shift() ?? 500).end('7'),
      {
        random: () => 0,
      },
    );
    expect(await openPort().count(byDomain('x.co'))).toBe(7);
    expect(requests).toHaveLength(3);
  });

  test('ends at the operation’s deadline when it hangs', async () => {
    const { openPort } = await open(() => {}, { settings: { deadlineMs: 50 } });
    await expect(openPort().count(byDomain('x.co'))).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_TIMEOUT',
    });
  });
});

describe('an expired token', () => {
  test('is refreshed by one call for a thousand calls, which all succeed', async () => {
    const { openPort, requests } = await open((request, response) => {
      if (request.url === '/token') response.end('access-1');
      else
        response
          .writeHead(request.headers.authorization === 'Bearer access-1' ? 200 : 401)
          .end('7');
    });
    const port = openPort();
    const all = await Promise.all(
      Array.from({ length: 1_000 }, () => port.count(byDomain('x.co'))),
    );
    expect(new Set(all)).toEqual(new Set([7]));
    expect(requests.filter(({ url }) => url === '/token')).toHaveLength(1);
  });

  test('marks the connection when its refresh is refused', async () => {
    const { openPort, credentials } = await open((request, response) => {
      response.writeHead(request.url === '/token' ? 400 : 401).end('{}');
    });
    await expect(openPort().count(byDomain('x.co'))).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_UNAUTHORIZED',
      message: expect.stringContaining('has to reconnect'),
    });
    expect(credentials.calls.refused).toEqual([1]);
  });

  test('is not refreshed for every call when new tokens are rejected too', async () => {
    const { openPort, requests } = await open((request, response) => {
      response.writeHead(request.url === '/token' ? 200 : 401).end(`access-${requests.length}`);
    });
    for (let call = 0; call < 5; call++)
      await openPort()
        .count(byDomain('x.co'))
        .catch(() => undefined);
    expect(requests.filter(({ url }) => url === '/token')).toHaveLength(1);
  });
});

describe('connections', () => {
  test('do not wait for each other', async () => {
    const access = createFakeAccess({ budgets: { general: { concurrency: 1 } } });
    const { openPort } = await open(
      (request, response) => {
        if (request.url === '/count/quick') response.end('7');
      },
      { access, settings: { deadlineMs: 600_000 } },
    );
    const slow = openPort({ id: 'noisy' });
    for (let call = 0; call < 50; call++) slow.count(byDomain('slow')).catch(() => undefined);
    expect(await openPort({ id: 'quiet' }).count(byDomain('quick'))).toBe(7);
  });

  test('have separate circuit breakers, which open after consecutive failures', async () => {
    const { openPort, requests } = await open((request) => request.socket.resetAndDestroy(), {
      random: () => 0,
      settings: { breakerFailures: 3, breakerOpenMs: 600_000 },
    });
    await openPort({ id: 'down' })
      .count(byDomain('x.co'))
      .catch(() => undefined);
    requests.length = 0;
    await expect(openPort({ id: 'down' }).count(byDomain('x.co'))).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_UNAVAILABLE',
      retryAfterMs: expect.any(Number),
    });
    expect(requests).toEqual([]);
    await openPort({ id: 'other' })
      .count(byDomain('x.co'))
      .catch(() => undefined);
    expect(requests.length).toBeGreaterThan(0);
  });

  test('reject calls immediately after a 429, with the time to retry', async () => {
    const { openPort, requests } = await open((_, response) => {
      response.writeHead(429, { 'retry-after': '3000' }).end('slow down');
    });
    await expect(openPort().count(byDomain('x.co'))).rejects.toThrow('slow down');
    const error = await openPort()
      .count(byDomain('x.co'))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'REMOTE_PROVIDER_RATE_LIMITED' });
    expect((error as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(2_000_000);
    expect(requests).toHaveLength(1);
  });

  test.each([403, 477])(
    'make no call for as long as the provider wants after a %i',
    async (status) => {
      const access = createFakeAccess({ readPause: () => 3_000_000 });
      const { openPort, requests } = await open(
        (_, response) => response.writeHead(status).end('not now'),
        {
          access,
        },
      );
      await expect(openPort().count(byDomain('x.co'))).rejects.toThrow('not now');
      await expect(openPort().count(byDomain('x.co'))).rejects.toMatchObject({
        code: 'REMOTE_PROVIDER_RATE_LIMITED',
      });
      expect(requests).toHaveLength(1);
    },
  );

  test('use new credentials after an invalidation', async () => {
    const { openPort, outbound, credentials, requests } = await open((_, response) =>
      response.end('7'),
    );
    await openPort({ id: 'a' }).count(byDomain('x.co'));
    credentials.put({ type: 'token', value: 'pat-2' });
    outbound.forget('a');
    await openPort({ id: 'a' }).count(byDomain('x.co'));
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer access-0',
      'Bearer pat-2',
    ]);
  });
});

const RENEWABLE = { type: 'oauth2', refreshToken: 'refresh-0', expiresAt: null } as const;

async function open(
  listener: (request: IncomingMessage, response: ServerResponse) => void,
  options: Parameters<typeof openStub>[1] = {},
) {
  const requests: IncomingMessage[] = [];
  const server = await openWireServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  const stub = openStub(server.origin, options);
  closing.push(server.close, stub.outbound.close);
  return { ...stub, requests };
}
