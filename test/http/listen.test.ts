import { afterEach, describe, expect, test } from 'vitest';
import { createHeavyPlaces } from '../../src/admission/heavy-places.ts';
import { RequestQueue } from '../../src/admission/request-queue.ts';
import { createCors } from '../../src/http/cors.ts';
import type { ServerLimits } from '../../src/http/listen.ts';
import { createRequestHandler } from '../../src/http/request-handler.ts';
import { toReachableUrl } from '../../src/http/welcome.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { HttpHeaders } from '../../src/lib/http-message.ts';
import { createRest } from '../../src/rest/rest-server.ts';
import { createRequestLogs } from '../../src/telemetry/request-log.ts';
import { createFakeLog } from '../support/fake-log.ts';
import { createFakeServices } from '../support/fake-services.ts';
import { type Listener, listen } from '../support/listen.ts';
import { openRawClient } from '../support/raw-client.ts';
import { UNBOUNDED } from '../support/unbounded-unread.ts';

const listeners: Listener[] = [];
afterEach(async () => {
  for (const listener of listeners.splice(0)) await listener.close(0);
});

test('a port that is in use is an error that names PORT', async () => {
  const { url } = await open({});
  const port = Number(new URL(url).port);
  const second = open({ port });
  await expect(second).rejects.toThrow(`Port ${port} is in use. Set PORT to another port`);
});

test.each([
  ['::', 'http://localhost:4000'],
  ['127.0.0.1', 'http://localhost:4000'],
  ['192.0.2.1', 'http://192.0.2.1:4000'],
  ['crm.example', 'http://crm.example:4000'],
  ['2001:db8::2', 'http://[2001:db8::2]:4000'],
  ['::ffff:127.0.0.1', 'http://[::ffff:127.0.0.1]:4000'],
])('a server that listens on %s is reached at %s', (host, url) => {
  expect(toReachableUrl(host, 4000)).toBe(url);
  expect(URL.canParse(url)).toBe(true);
});

test('requests beyond the concurrency limit get 503 with the time to retry, in the common error format', async () => {
  const { url, release } = await open({ max: 4 });
  const running = [ask(url), ask(url)];
  await expect.poll(async () => (await ask(url)).status).toBe(503);
  const refused = await ask(url);
  expect(refused.headers.get('retry-after')).toBe('1');
  const { errors } = (await refused.json()) as { errors: object[] };
  expect(errors).toEqual([
    expect.objectContaining({
      code: 'SERVICE_UNAVAILABLE',
      meta: expect.objectContaining({ retryable: true, retry_after_ms: 1_000 }),
    }),
  ]);
  release();
  for (const one of running) expect((await one).status).toBe(404);
  expect((await ask(url)).status).toBe(404);
});

test('health checks get responses under any load', async () => {
  const { url, release } = await open({ max: 1 });
  const running = ask(url);
  await expect.poll(async () => (await ask(url)).status).toBe(503);
  expect((await fetch(`${url}/livez`)).status).toBe(200);
  release();
  await running;
});

test('a slow request body takes no permit', async () => {
  const { url, release } = await open({ max: 1 });
  const slow = Array.from({ length: 10 }, () => openRawClient(url));
  for (const client of slow) client.send(`${HEAD}content-length: 100\r\n\r\n{`);
  release();
  for (let n = 0; n < 20; n++) expect((await ask(url)).status).toBe(404);
  for (const client of slow) client.close();
});

test.each([
  ['headers', 'GET / HTTP/1.1\r\nhost: crossbook\r\nx-slow: '],
  ['a body', 'PUT /customers HTTP/1.1\r\nhost: crossbook\r\ncontent-length: 100\r\n\r\n{'],
])('a client that does not finish %s gets 408', async (_what, text) => {
  const { url } = await open({ bounds: { headersTimeoutMs: 200, requestTimeoutMs: 300 } });
  const client = openRawClient(url);
  client.send(text);
  expect(await client.ended).toMatch(/^(HTTP\/1.1 401[\s\S]*)?HTTP\/1.1 408 /);
});

describe('a server that closes', () => {
  test('responds to a request on an idle connection during the grace period, and then closes the connection', async () => {
    const { url, close } = await open({ idleGraceMs: HANGING_MS });
    const impatient = await open({ idleGraceMs: 0 });
    const client = openRawClient(url);
    const other = openRawClient(impatient.url);
    for (const one of [client, other]) {
      one.send(LIVEZ);
      await expect.poll(one.heard).toMatch(/connection: keep-alive[\s\S]*ok$/i);
    }
    const closed = close(HANGING_MS);
    // Both check for idle connections at the same interval, and this one began later, so the first has checked by now.
    expect(await impatient.close(HANGING_MS)).toBe(true);
    await other.ended;
    client.send(LIVEZ);
    expect(await client.ended).toMatch(/keep-alive[\s\S]*connection: close[\s\S]*ok$/i);
    expect(await closed).toBe(true);
  });

  test('closes idle connections after the grace period', async () => {
    const { url, close } = await open({ idleGraceMs: 0 });
    const client = openRawClient(url);
    client.send(LIVEZ);
    await expect.poll(client.heard).toContain('ok');
    expect(await close(HANGING_MS)).toBe(true);
    expect(await client.ended).toContain('ok');
  });

  test('aborts requests that exceed the shutdown deadline, and reports it', async () => {
    const { url, close } = await open({});
    const running = ask(url);
    await expect.poll(async () => (await fetch(`${url}/livez`)).status).toBe(200);
    expect(await close(0)).toBe(false);
    await expect(running).rejects.toThrow();
  });
});

test('connections beyond the limit are closed immediately', async () => {
  const { url } = await open({ bounds: { maxConnections: 3 } });
  const clients = Array.from({ length: 3 }, () => openRawClient(url));
  for (const client of clients) client.send(LIVEZ);
  for (const client of clients) await expect.poll(client.heard).toContain('HTTP/1.1 200');
  expect(await openRawClient(url).ended).toBe('');
  for (const client of clients) client.close();
});

const OK = { status: 200, headers: { 'content-length': '2' }, body: 'ok' };
const LIVEZ = 'GET /livez HTTP/1.1\r\nhost: crossbook\r\n\r\n';
/** Longer than the test: this time limit is never reached. */
const HANGING_MS = 600_000;

const HEAD =
  'PUT /customers HTTP/1.1\r\nhost: crossbook\r\nx-api-key: demo-key\r\ncontent-type: application/json\r\n';

/** Requests wait until they are released; an authenticated caller then gets 404 for the unknown customer. */
async function open({ max = 10, bounds = {}, idleGraceMs, port = 0 }: OpenOptions) {
  const fake = await createFakeServices();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const openContext = (headers: HttpHeaders) => fake.openContext(headers);
  const rest = createRest({ openContext, version: '1.2.3' });
  const api: typeof rest = {
    ...rest,
    async answer(...request) {
      await released;
      return rest.answer(...request);
    },
  };
  const log = createFakeLog();
  const heavy = createHeavyPlaces({ clock: systemClock });
  const handle = createRequestHandler({
    responseBytes: { caller: 16 * 1024 * 1024, unauthenticated: 1024 * 1024 },
    graphql: api,
    rest: api,
    queue: new RequestQueue({ maxBegun: max, heavy, clock: systemClock }),
    unread: UNBOUNDED,
    bodyBytes: { caller: 1_000_000, unauthenticated: 1_000 },
    allowsUnauthenticated: true,
    cors: createCors({ findOrigins: () => new Map(), onRefused: () => {} }),
    // The caller is authenticated in `openContext` of the API instead.
    findCaller: () => undefined,
    consumeRateLimit: () => undefined,
    addRateLimitHeaders: () => {},
    openRequestLog: createRequestLogs({ log, clock: systemClock, onDone: () => {} }),
    probes: { paths: /^\/livez$/, answer: () => Promise.resolve(OK) },
  });
  const listener = await listen({
    answer: handle,
    onRefused: () => {},
    unread: UNBOUNDED,
    host: '127.0.0.1',
    port,
    idleGraceMs,
    bounds: {
      maxConnections: 100,
      maxConnectionsPerAddress: 100,
      keepAliveMs: HANGING_MS,
      headersTimeoutMs: HANGING_MS,
      requestTimeoutMs: HANGING_MS,
      ...bounds,
    },
  });
  listeners.push(listener);
  return { url: listener.url.replace('localhost', '127.0.0.1'), release, close: listener.close };
}

function ask(url: string): Promise<Response> {
  return fetch(`${url}/customers/nobody`, { headers: { 'x-api-key': 'demo-key' } });
}

interface OpenOptions {
  readonly max?: number;
  readonly bounds?: Partial<ServerLimits>;
  readonly idleGraceMs?: number;
  readonly port?: number;
}
