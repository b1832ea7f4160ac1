import { expect, test } from 'vitest';
import { CrossbookError } from '../../src/domain/errors.ts';
import { toOwnCommand } from '../../src/lib/own-command.ts';
import { openHandler } from '../support/open-handler.ts';

const MINE = 'https://mine.example';
const ORIGINS = new Map([
  [MINE, new Set(['mine'])],
  ['https://both.example', new Set(['mine', 'theirs'])],
]);
/** Of a client that says which application it is, with monitoring that adds headers of its own. */
const ASKED =
  'apollographql-client-name,baggage,content-type,sentry-trace,x-api-key,x-requested-with';
const PREFLIGHT = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': ASKED,
};

const open = (patch: Parameters<typeof openHandler>[0] = {}) => {
  const handler = openHandler({ findOrigins: () => ORIGINS, ...patch });
  const allowed = async (origin: string, key?: string) => {
    const { headers } = await handler.ask('POST', {
      origin,
      ...(key !== undefined && { 'x-api-key': key }),
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
    return headers['access-control-allow-origin'];
  };
  return { ...handler, allowed };
};

test('a page can read a response only if its application has its origin registered', async () => {
  const { allowed } = open();
  expect(await allowed(MINE, 'mine')).toBe(MINE);
  expect(await allowed('https://both.example', 'theirs')).toBe('https://both.example');
  expect(await allowed(MINE, 'theirs')).toBeUndefined();
  for (const origin of [
    'https://other.example',
    `${MINE}.evil`,
    'http://mine.example',
    'null',
    '*',
  ]) {
    expect(await allowed(origin, 'mine'), origin).toBeUndefined();
  }
});

test('a preflight succeeds if any application has the origin, without a caller look-up or a call of an API', async () => {
  const { ask, answered, lookedUp, refusedOrigins, queue } = open();
  const preflight = await ask('OPTIONS', { origin: MINE, 'x-api-key': 'mine', ...PREFLIGHT });
  expect([preflight.status, answered, lookedUp]).toEqual([204, [], []]);
  expect(preflight.headers['access-control-allow-origin']).toBe(MINE);
  expect(preflight.headers['access-control-allow-headers']).toBe(ASKED.replaceAll(',', ', '));
  expect(preflight.headers['access-control-max-age']).toBe('7200');
  expect(preflight.headers).not.toHaveProperty('access-control-allow-credentials');
  expect(preflight.headers['access-control-allow-methods']).toBe('GET, POST, PUT, PATCH, DELETE');
  expect(preflight.headers['vary']).toContain('Origin');
  expect(queue.counts()).toMatchObject({ running: 0, queued: 0 });
  expect(refusedOrigins).toEqual([]);
});

test('a preflight of an unregistered origin is rejected with the command that registers it', async () => {
  const { ask, answered, refusedOrigins } = open();
  const refused = await ask('OPTIONS', { origin: 'https://other.example:8443', ...PREFLIGHT });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(Object.keys(refused.headers).filter((name) => name.startsWith('access-control-'))).toEqual(
    [],
  );
  expect(refused.body).toBe(
    'No application allows the origin "https://other.example:8443". Allow it: ' +
      `\`${toOwnCommand('apps origins APPLICATION --add https://other.example:8443')}\`.`,
  );
  expect([answered, refusedOrigins]).toEqual([[], ['https://other.example:8443']]);
});

test('an invalid origin is not repeated in the response', async () => {
  const { ask, refusedOrigins } = open();
  for (const origin of ['null', 'https://x.example/; rm -rf', '`id`', 'ftp://x.example']) {
    const { status, body } = await ask('OPTIONS', { origin, ...PREFLIGHT });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body).toBe(
      'The origin of this page is not a web origin, so that no application can allow it.',
    );
  }
  expect(refusedOrigins).toEqual([]);
});

test('invalid header names are not repeated in the response', async () => {
  const { ask } = open();
  const asked = 'x-api-key, a b, "c", x:y, ,d;e';
  const { headers } = await ask('OPTIONS', {
    origin: MINE,
    ...PREFLIGHT,
    'access-control-request-headers': asked,
  });
  expect(headers['access-control-allow-headers']).toBe('x-api-key');
});

test('an OPTIONS request without an origin is an ordinary request', async () => {
  const { ask, answered } = open();
  await ask('OPTIONS', PREFLIGHT);
  expect(answered).toEqual(['OPTIONS']);
});

test('a preflight with a rejected Host is rejected like any other request', async () => {
  const checkHost = () => {
    throw new CrossbookError('FORBIDDEN', 'Not that Host.');
  };
  const { ask } = open({ patch: { checkHost } });
  const { status, body, headers } = await ask('OPTIONS', { origin: MINE, ...PREFLIGHT });
  expect([status >= 400, body]).toEqual([true, 'Not that Host.']);
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
});

test('a preflight is logged like any other request, with the id of its response', async () => {
  const { ask, records } = open();
  const preflight = await ask('OPTIONS', { origin: MINE, ...PREFLIGHT, 'x-request-id': 'mine-1' });
  expect(preflight.headers['x-request-id']).toBe('mine-1');
  expect(records).toEqual([
    expect.objectContaining({
      method: 'OPTIONS',
      route: '/graphql',
      requestId: 'mine-1',
      status: 204,
    }),
  ]);
});

test('a page can read why its request was rejected, also with an invalid key or token', async () => {
  const { allowed } = open({ status: 401 });
  for (const key of [undefined, 'wrong']) {
    expect(await allowed(MINE, key)).toBe(MINE);
    expect(await allowed('https://other.example', key)).toBeUndefined();
  }
});

test('the caller is looked up once, and the response allows the origin of its application only', async () => {
  const { allowed, lookedUp } = open({ status: 429 });
  expect(await allowed(MINE, 'mine')).toBe(MINE);
  expect(await allowed(MINE, 'theirs')).toBeUndefined();
  expect(lookedUp).toEqual(['mine', 'theirs']);
});

test('without a caller a page can read only rejections, because the page of the demo shows its key', async () => {
  expect(await open().allowed(MINE)).toBeUndefined();
});

test('Vary tells caches that the response depends on the origin', async () => {
  const { headers } = await open().ask('GET', { origin: MINE, 'x-api-key': 'mine' });
  expect(headers['vary']).toBe('accept, Origin');
});

test('no CORS header is sent without registered origins, without an Origin header, or without the storage', async () => {
  const failure = new CrossbookError('SERVICE_UNAVAILABLE', 'The storage is away.');
  const away = open({ findOrigins: () => Promise.reject(failure) });
  const responses = [
    await open({ findOrigins: () => new Map() }).ask('POST', { origin: MINE }),
    await away.ask('OPTIONS', { origin: MINE, ...PREFLIGHT }),
    await open().ask('POST', { 'x-api-key': 'mine' }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([200, 503, 200]);
  for (const { headers } of responses) {
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  }
});
