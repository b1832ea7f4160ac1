import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { ServerLimits } from '../../src/http/listen.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { ArrivingRequest, HttpResponse } from '../../src/lib/http-message.ts';
import { openTelemetry } from '../../src/telemetry/telemetry.ts';
import { createFakeLog } from '../support/fake-log.ts';
import { type Listener, listen } from '../support/listen.ts';
import { openRawClient } from '../support/raw-client.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { expectOneError, readErrors, toShape } from '../support/refusals.ts';
import { UNBOUNDED } from '../support/unbounded-unread.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const HEAD = 'POST /slow HTTP/1.1\r\nhost: crossbook\r\n';
const NONSENSE = 'NONSENSE cbk_secret\r\n\r\n';
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const REFUSED: readonly (readonly [string, string, number, string])[] = [
  ['no HTTP', NONSENSE, 400, 'HPE_INVALID_METHOD'],
  ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'HPE_INVALID_METHOD'],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'HPE_PAUSED_H2_UPGRADE'],
  [
    'two lengths',
    `${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\nx`,
    400,
    'HPE_UNEXPECTED_CONTENT_LENGTH',
  ],
  [
    'a chunk that is none',
    `${HEAD}transfer-encoding: chunked\r\n\r\ncbk_secret\r\n`,
    400,
    'HPE_INVALID_CHUNK_SIZE',
  ],
  [
    'headers without measure',
    `${HEAD}x: ${'cbk_secret'.repeat(3_000)}\r\n\r\n`,
    431,
    'HPE_HEADER_OVERFLOW',
  ],
  [
    'chunks that say too much',
    `${HEAD}transfer-encoding: chunked\r\n\r\n2;${'cbk_secret'.repeat(3_000)}\r\nAA\r\n`,
    413,
    'HPE_CHUNK_EXTENSIONS_OVERFLOW',
  ],
  ['headers that do not end', `${HEAD}x-api-key: cbk_secret`, 408, 'ERR_HTTP_REQUEST_TIMEOUT'],
  [
    'a body that does not end',
    `${HEAD}content-length: 100\r\n\r\ncbk_secret`,
    408,
    'ERR_HTTP_REQUEST_TIMEOUT',
  ],
  ['silence', '', 408, 'ERR_HTTP_REQUEST_TIMEOUT'],
];

describe('input that is not an HTTP request', () => {
  test.each(REFUSED)(
    '%s gets the status of Node with our error format, and is logged and counted',
    async (_title, bytes, status, code) => {
      const bounds = status === 408 ? IMPATIENT : PATIENT;
      const crossbook = await open({ bounds });
      const node = await openPlainNode(bounds);
      const heard = await say(crossbook.url, bytes);
      expect(heard.split('\r\n')[0]).toBe((await say(node, bytes)).split('\r\n')[0]);
      const errorId = expectOneError(heard, status);
      const fields = { status, code, errorId };
      expect(crossbook.log.lines).toEqual([{ level: 'info', message: 'refused', fields }]);
      expect(await crossbook.counts()).toEqual({ [`status="${status}",code="${code}"`]: 1 });
    },
  );

  test('is logged without any of its content', async () => {
    const crossbook = await open({ bounds: IMPATIENT });
    await Promise.all(REFUSED.map(([, bytes]) => say(crossbook.url, bytes)));
    await say(
      crossbook.url,
      `GET /cbk_secret HTTP/1.1\r\nhost: cbk secret\r\nconnection: close\r\n\r\n`,
    );
    expect(crossbook.log.lines).toHaveLength(REFUSED.length + 1);
    expect(JSON.stringify(crossbook.log.lines) + crossbook.metrics()).not.toMatch(
      /secret|NONSENSE/,
    );
  });

  test('does not fill the log: the first lines of a flood are written, then the number of omitted ones', async () => {
    const crossbook = await open();
    await Promise.all(Array.from({ length: 60 }, () => say(crossbook.url, NONSENSE)));
    const fields = { status: 400, code: 'HPE_INVALID_METHOD' };
    expect(crossbook.log.lines).toHaveLength(10);
    await crossbook.close();
    expect(crossbook.log.lines.slice(10)).toEqual([
      { level: 'warn', message: 'refused', fields: { ...fields, leftOut: 50 } },
    ]);
    expect(await crossbook.counts()).toEqual({ 'status="400",code="HPE_INVALID_METHOD"': 60 });
  });
});

describe('a request that is rejected before any handler', () => {
  const IDS = `x-request-id: mine-1\r\ntraceparent: 00-${TRACE}-b7ad6b7169203331-01\r\nconnection: close\r\n\r\n`;
  test.each([
    ['no Host', `GET / HTTP/1.1\r\n${IDS}`, 400, 'HOST_INVALID'],
    ['a Host that is no name', `GET / HTTP/1.1\r\nhost: a b\r\n${IDS}`, 400, 'HOST_INVALID'],
    [
      'two Hosts',
      `GET / HTTP/1.1\r\nhost: crossbook\r\nHost: crossbook\r\n${IDS}`,
      400,
      'HEADER_REPEATED',
    ],
    [
      'a request line that names another host',
      `GET http://other/ HTTP/1.1\r\nhost: crossbook\r\n${IDS}`,
      400,
      'HOST_INVALID',
    ],
    ['an empty Host', `GET /graphql/metrics? HTTP/1.1\r\nhost:\r\n${IDS}`, 400, 'HOST_INVALID'],
    [
      'another scheme',
      `GET ftp://crossbook/ HTTP/1.1\r\nhost: crossbook\r\n${IDS}`,
      400,
      'HOST_INVALID',
    ],
    [
      'a path that proxies read in another way',
      `GET /connect\\..\\metrics HTTP/1.1\r\nhost: crossbook\r\n${IDS}`,
      400,
      'PATH_INVALID',
    ],
    [
      'a wish that we do not know',
      `GET / HTTP/1.1\r\nhost: a\r\nexpect: miracles\r\n${IDS}`,
      417,
      'EXPECTATION_UNKNOWN',
    ],
  ])('with %s is logged with its request id and trace id', async (_title, text, status, code) => {
    const crossbook = await open();
    const errorId = expectOneError(await say(crossbook.url, text), status);
    const fields = { requestId: 'mine-1', traceId: TRACE, status, code, errorId };
    expect(crossbook.log.lines).toEqual([{ level: 'info', message: 'refused', fields }]);
    expect(await crossbook.counts()).toEqual({ [`status="${status}",code="${code}"`]: 1 });
    expect(crossbook.asked).toEqual([]);
  });

  test('is logged without an id if it has none, or an invalid one', async () => {
    const crossbook = await open();
    // The connection is closed too, without a `connection: close` header.
    await say(crossbook.url, 'GET / HTTP/1.1\r\nx-request-id: a b\r\ntraceparent: c\r\n\r\n');
    expect(JSON.parse(JSON.stringify(crossbook.log.lines[0]?.fields))).toEqual({
      status: 400,
      code: 'HOST_INVALID',
      errorId: expect.any(String),
    });
  });

  test('gets an error in the format of GraphQL on the path of GraphQL', async () => {
    const crossbook = await open();
    for (const path of ['/graphql', '/graphql?query={a}']) {
      const heard = await say(
        crossbook.url,
        `POST ${path} HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n`,
      );
      const [error] = readErrors(heard);
      expect(error).toEqual({ message: error.extensions.detail, extensions: toShape(400) });
    }
  });

  test('over HTTP/1.0 is accepted without a Host header', async () => {
    const crossbook = await open();
    expect(await say(crossbook.url, 'GET / HTTP/1.0\r\n\r\n')).toContain('200 OK');
    expect(crossbook.log.lines).toEqual([]);
  });
});

describe('invalid input on a connection with requests', () => {
  test('does not affect a response that was sent before', async () => {
    const crossbook = await open();
    const client = openRawClient(crossbook.url);
    client.send(`${GET}\r\n`);
    await expect.poll(client.heard).toMatch(/\r\n\r\nhello$/);
    client.send(NONSENSE);
    expect(await client.ended).toMatch(
      /^HTTP\/1.1 200 [\s\S]*\r\n\r\nhelloHTTP\/1.1 400 Bad Request\r\n/,
    );
  });

  test('ends a running request on the connection, and its late result does no harm', async () => {
    const crossbook = await open();
    const client = openRawClient(crossbook.url);
    client.send(`${GET.replace('/', '/waits')}\r\n`);
    await expect.poll(() => crossbook.asked).toEqual(['/waits']);
    client.send(NONSENSE);
    expect(await client.ended).toMatch(/^HTTP\/1.1 400 [^\r]+\r\nconnection: close\r\n/);
    crossbook.release();
    expect(await say(crossbook.url, `${GET}connection: close\r\n\r\n`)).toContain('200 OK');
    expect(crossbook.log.lines).toHaveLength(1);
  });

  test('adds nothing to a response that has begun', async () => {
    const crossbook = await open();
    const socket = connect(Number(new URL(crossbook.url).port), '127.0.0.1');
    socket.write(`${GET.replace('/', '/large')}\r\n`);
    // The client stops reading after the first chunk, so the rest stays on the server.
    await once(socket, 'readable');
    socket.write(NONSENSE);
    await expect.poll(() => crossbook.log.lines).toHaveLength(1);
    let heard = '';
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
    });
    socket.on('error', () => undefined);
    await once(socket, 'close');
    expect(heard).toMatch(/^HTTP\/1.1 200 [^x]*\r\n\r\nx+$/);
    expect(await crossbook.counts()).toEqual({ 'status="none",code="HPE_INVALID_METHOD"': 1 });
  });

  test('a connection beyond the limit is counted', async () => {
    const crossbook = await open({ bounds: { maxConnections: 1 } });
    const first = openRawClient(crossbook.url);
    first.send(`${GET}\r\n`);
    await expect.poll(first.heard).toContain('hello');
    expect(await openRawClient(crossbook.url).ended).toBe('');
    await expect.poll(crossbook.counts).toEqual({ 'status="none",code="CONNECTIONS_FULL"': 1 });
    first.close();
  });
});

describe('a client that disconnects', () => {
  test.each([
    ['within headers', `${HEAD}x-half: `],
    ['within a body', `${HEAD}content-length: 100\r\n\r\nhalf`],
    ['while waiting for an answer', `${GET.replace('/', '/waits')}\r\n`],
    ['without a word', ''],
  ])('%s is not logged as rejected, after FIN or RST', async (_title, bytes) => {
    const crossbook = await open();
    for (const leave of ['destroy', 'resetAndDestroy'] as const) {
      const socket = connect(Number(new URL(crossbook.url).port), '127.0.0.1');
      await once(socket, 'connect');
      await new Promise((resolve) => socket.write(bytes, resolve));
      // A later request was served, so this connection has been accepted.
      await say(crossbook.url, `${GET}connection: close\r\n\r\n`);
      socket[leave]();
    }
    crossbook.release();
    // Closing waits until every connection has ended.
    await crossbook.close();
    expect(crossbook.log.lines).toEqual([]);
    expect(await crossbook.counts()).toEqual({});
  });
});

const GET = 'GET / HTTP/1.1\r\nhost: crossbook\r\n';
const IMPATIENT = { headersTimeoutMs: 200, requestTimeoutMs: 300 };
/** Longer than the test: these time limits are never reached. */
const PATIENT = { headersTimeoutMs: 600_000, requestTimeoutMs: 600_000 };
const BOUNDS = {
  maxConnections: 100,
  maxConnectionsPerAddress: 100,
  keepAliveMs: 600_000,
  ...PATIENT,
};
const OK = { status: 200, headers: { 'content-length': '5' }, body: 'hello' };
/** Larger than the buffers of two sockets. */
const LARGE_BYTES = 32 * 1024 * 1024;
const LARGE = {
  status: 200,
  headers: { 'content-length': `${LARGE_BYTES}` },
  body: 'x'.repeat(LARGE_BYTES),
};

/** The real listener with its log and metrics; a stub handler answers by path. */
async function open({ bounds = {} }: { bounds?: Partial<ServerLimits> } = {}) {
  const log = createFakeLog();
  const telemetry = await openTelemetry({
    log,
    version: '1.2.3',
    traces: undefined,
    clock: systemClock,
  });
  const asked: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const answer = async (request: ArrivingRequest): Promise<HttpResponse> => {
    const { pathname } = request;
    asked.push(pathname);
    if (pathname === '/slow')
      await request.receiveBody(1_000, async () => {}).catch(() => undefined);
    if (pathname === '/waits') await released;
    return pathname === '/large' ? LARGE : OK;
  };
  const listener: Listener = await listen({
    answer,
    onRefused: telemetry.onRefused,
    unread: UNBOUNDED,
    host: '127.0.0.1',
    port: 0,
    bounds: { ...BOUNDS, ...bounds },
  });
  const close = async () => {
    await listener.close(600_000);
    await telemetry.close();
  };
  closing.push(close);
  const metrics = () => telemetry.metrics.registry.metrics();
  return {
    log,
    asked,
    release,
    close,
    metrics,
    url: listener.url,
    counts: async () => readMetrics(await metrics())('crossbook_refusals_total'),
  };
}

/** A plain Node server without a `clientError` handler. */
async function openPlainNode(bounds: typeof IMPATIENT): Promise<string> {
  const { headersTimeoutMs: headersTimeout, requestTimeoutMs: requestTimeout } = bounds;
  const options = {
    maxHeaderSize: 16 * 1024,
    headersTimeout,
    requestTimeout,
    connectionsCheckingInterval: 100,
  };
  const server = createServer(options, (request, response) => {
    request
      .on('error', () => undefined)
      .on('end', () => response.end())
      .resume();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function say(url: string, bytes: string): Promise<string> {
  const client = openRawClient(url);
  client.send(bytes);
  return client.ended;
}
