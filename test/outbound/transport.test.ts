import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { isTransientFailure } from '../../src/outbound/failures.ts';
import { createTransport, type TransportOptions } from '../../src/outbound/http/transport.ts';
import { DEFAULT_SETTINGS } from '../../src/outbound/outbound-options.ts';
import { createFakeClock, settle } from '../support/clock.ts';
import { openWireServer } from '../support/wire-server.ts';

/** The clock that undici keeps for its own timeouts. */
const undiciTimers: { tick: (ms?: number) => void } = createRequire(import.meta.url)(
  'undici/lib/util/timers.js',
);

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('a response', () => {
  test('has its status, headers and text', async () => {
    const call = await opened((_, response) => {
      response.writeHead(207, { 'content-type': 'application/json', 'x-thing': ['a', 'b'] });
      response.end('{"name":"Zoë 🐝"}');
    });
    await expect(call('/')).resolves.toMatchObject({
      status: 207,
      body: '{"name":"Zoë 🐝"}',
      headers: { 'content-type': 'application/json', 'x-thing': 'a, b' },
    });
  });

  test('in chunks that split a character has the same text', async () => {
    const bytes = Buffer.from('"🐝🐝"');
    const call = await opened(async (_, response) => {
      for (const byte of bytes) {
        response.write(Buffer.from([byte]));
        await settle();
      }
      response.end();
    });
    expect((await call('/')).body).toBe('"🐝🐝"');
  });

  test.each([10, 100_000])('is decompressed when it is gzip: %d numbers', async (count) => {
    const text = JSON.stringify(
      Array.from({ length: count }, (_, index) => (index * 7919) % 10_007),
    );
    const call = await opened((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(text));
    });
    const answer = await call('/');
    expect(JSON.stringify(answer.readJson())).toBe(text);
    expect(text.startsWith(answer.body)).toBe(true);
  });

  test('may follow informational ones', async () => {
    const call = await opened((request, response) => {
      request.socket.write('HTTP/1.1 103 Early Hints\r\nx-thing: early\r\n\r\n');
      response.writeHead(200, { 'x-thing': 'late' }).end('{}');
    });
    await expect(call('/')).resolves.toMatchObject({ status: 200, headers: { 'x-thing': 'late' } });
  });

  test('can be empty', async () => {
    const call = await opened((_, response) =>
      response.writeHead(204, { 'content-encoding': 'gzip' }).end(),
    );
    await expect(call('/')).resolves.toMatchObject({ status: 204, body: '' });
  });
});

const TRAILED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: a\r\n\r\n';

describe('many short lines', () => {
  test.each(['HTTP/1.1 200 OK\r\n', `${TRAILED}0\r\n`])(
    'without end are refused after %j',
    async (head) => {
      const call = await opened(({ socket }) => void socket.write(head + 'a:\r\n'.repeat(100_000)));
      const error = await call('/').catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'REMOTE_PROVIDER_BAD_RESPONSE', message: /not HTTP/ });
    },
  );

  test.each([1, 255, 256, 257, 10_000])('in a body arrive as they are: %d', async (count) => {
    const text = JSON.stringify(Array.from({ length: count }, String), null, 1);
    const call = await opened((_, response) => response.end(text));
    const answer = await call('/');
    expect(answer.readJson()).toEqual(JSON.parse(text));
    expect((await call('/')).status).toBe(200);
  });
});

describe('a request', () => {
  test('is sent to its target, with its headers and its body, over keep-alive connections', async () => {
    const seen: unknown[] = [];
    const sockets = new Set<unknown>();
    const call = await opened(async (request, response) => {
      sockets.add(request.socket);
      seen.push([request.method, request.url, request.headers['x-one'], await readBody(request)]);
      response.end('{}');
    });
    await call('/a?q=1', { method: 'GET' });
    await call('/b', { method: 'POST', body: '{"ü":1}' });
    expect(seen.splice(0)).toEqual([
      ['GET', '/a?q=1', 'yes', ''],
      ['POST', '/b', 'yes', '{"ü":1}'],
    ]);
    for (let count = 0; count < 10; count++) await call('/again');
    expect(sockets.size).toBeLessThan(4);
  });

  test('cannot have an absolute URL, which would name another host', async () => {
    const call = await opened((_, response) => response.end('{}'));
    await expect(call('http://evil.example/')).rejects.toThrow('starts with a slash');
  });
});

describe('a failure', () => {
  const LIMIT = 64 * 1024;

  test.each<[string, RequestListener, string, RegExp, boolean]>([
    [
      'headers and then nothing',
      (_, r) => void r.writeHead(200).write('{'),
      'REMOTE_PROVIDER_TIMEOUT',
      /in time/,
      false,
    ],
    [
      'a reset',
      (q) => void q.socket.resetAndDestroy(),
      'REMOTE_PROVIDER_UNAVAILABLE',
      /closed the connection/,
      true,
    ],
    [
      'an answer that breaks off',
      breakOff,
      'REMOTE_PROVIDER_UNAVAILABLE',
      /closed the connection/,
      true,
    ],
    [
      'no HTTP',
      (q) => void q.socket.end('SSH-2.0-x\r\n\r\n'),
      'REMOTE_PROVIDER_BAD_RESPONSE',
      /not valid HTTP/,
      false,
    ],
    [
      'a body that says it is too long',
      (_, r) => void r.writeHead(200, { 'content-length': '9999999' }).write(' '),
      'REMOTE_PROVIDER_BAD_RESPONSE',
      /larger/,
      false,
    ],
    [
      'informational responses without end',
      (q) => informational(q.socket),
      'REMOTE_PROVIDER_BAD_RESPONSE',
      /informational/,
      false,
    ],
    ['an endless body', endless, 'REMOTE_PROVIDER_BAD_RESPONSE', /larger/, false],
    [
      'a small gzip bomb',
      bomb(4),
      'REMOTE_PROVIDER_BAD_RESPONSE',
      /size limit after decompression/,
      false,
    ],
    [
      'a large gzip bomb',
      bomb(40),
      'REMOTE_PROVIDER_BAD_RESPONSE',
      /size limit after decompression/,
      false,
    ],
    [
      'gzip that is none',
      (_, r) => void r.writeHead(200, { 'content-encoding': 'gzip' }).end('{}'),
      'REMOTE_PROVIDER_BAD_RESPONSE',
      /cannot be decompressed/,
      false,
    ],
    [
      'gzip that breaks off',
      halfGzip,
      'REMOTE_PROVIDER_BAD_RESPONSE',
      /cannot be decompressed/,
      false,
    ],
    [
      'an encoding that nobody asked for',
      (_, r) => void r.writeHead(200, { 'content-encoding': 'br' }).end('x'),
      'REMOTE_PROVIDER_BAD_RESPONSE',
      /encoding/,
      false,
    ],
    [
      'headers without end',
      (_, r) => void r.writeHead(200, { 'x-long': 'x'.repeat(20_000) }).end(),
      'REMOTE_PROVIDER_BAD_RESPONSE',
      /not valid HTTP/,
      false,
    ],
  ])('%s', async (_name, listener, code, detail, passing) => {
    const timeouts = code === 'REMOTE_PROVIDER_TIMEOUT' ? { bodyTimeoutMs: 50 } : {};
    const call = await opened(listener, { ...timeouts, maxAnswerBytes: LIMIT });
    const error = await call('/').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringMatching(detail) });
    expect(isTransientFailure(error)).toBe(passing);
  });

  test('is reported for a closed port', async () => {
    const server = await openWireServer(() => {});
    await server.close();
    const transport = open({ sandboxOrigins: [server.origin] });
    const error = await transport
      .send(toCall(server.origin, '/'))
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'REMOTE_PROVIDER_UNAVAILABLE',
      message: /Cannot connect to/,
    });
    expect(isTransientFailure(error)).toBe(true);
  });

  test('is reported at the deadline, whatever the provider does', async () => {
    const clock = createFakeClock();
    const server = await openWireServer(() => {});
    closing.push(server.close);
    const transport = open({ sandboxOrigins: [server.origin], clock });
    const answer = transport.send({ ...toCall(server.origin, '/'), deadline: clock.now() + 5_000 });
    const failure = answer.catch((thrown: unknown) => thrown);
    await clock.advance(5_000);
    expect(await failure).toMatchObject({ code: 'REMOTE_PROVIDER_TIMEOUT', message: /in time/ });
    expect(isTransientFailure(await failure)).toBe(false);
    expect(clock.pending).toBe(0);
  });

  test('does not occur before the deadline, however late the response begins', async () => {
    let respond: (() => void) | undefined;
    const server = await openWireServer((_, response) => {
      respond = () => void response.end('{}');
    });
    closing.push(server.close);
    const transport = open({ ...DEFAULT_SETTINGS, sandboxOrigins: [server.origin] });
    const answer = transport.send(toCall(server.origin, '/'));
    await expect.poll(() => respond).toBeDefined();
    // The first tick starts the timers that were set since the last one.
    undiciTimers.tick();
    undiciTimers.tick(120_000);
    respond?.();
    expect((await answer).status).toBe(200);
  });

  test('is reported without sending when the deadline has passed already', async () => {
    let calls = 0;
    const server = await openWireServer((_, response) => {
      calls++;
      response.end();
    });
    closing.push(server.close);
    const transport = open({ sandboxOrigins: [server.origin] });
    await expect(
      transport.send({ ...toCall(server.origin, '/'), deadline: 0 }),
    ).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_TIMEOUT',
    });
    expect(calls).toBe(0);
  });
});

function informational(socket: IncomingMessage['socket']): void {
  const some = 'HTTP/1.1 103 Early Hints\r\nlink: <x>\r\n\r\n'.repeat(100);
  const write = () => {
    while (!socket.destroyed && socket.write(some));
  };
  socket.on('drain', write).on('error', () => undefined);
  write();
}

async function opened(listener: RequestListener, options: Partial<TransportOptions> = {}) {
  const server = await openWireServer(listener);
  const transport = open({ sandboxOrigins: [server.origin], ...options });
  closing.push(server.close);
  return (path: string, request: { method?: 'GET' | 'POST'; body?: string } = {}) =>
    transport.send(toCall(server.origin, path, request));
}

function open(options: Partial<TransportOptions>) {
  const transport = createTransport({
    clock: systemClock,
    connectTimeoutMs: 60_000,
    bodyTimeoutMs: 60_000,
    maxAnswerBytes: 32 * 1024 * 1024,
    sandboxOrigins: [],
    ...options,
  });
  closing.push(transport.close);
  return transport;
}

function toCall(
  origin: string,
  path: string,
  request: { method?: 'GET' | 'POST'; body?: string } = {},
) {
  return {
    target: { provider: 'hubspot', connectionId: undefined } as const,
    origin,
    request: { method: 'GET', path, budget: 'general', retry: 'safe', ...request } as const,
    headers: { 'x-one': 'yes' },
    deadline: Date.now() + 600_000,
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await request.toArray()).toString();
}

function breakOff(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-length': '100' });
  response.write('{"half":', () => request.socket.destroy());
}

function endless(_request: IncomingMessage, response: ServerResponse): void {
  const pump = () => {
    while (!response.destroyed && response.write(' '.repeat(1_024)));
  };
  response.on('drain', pump);
  pump();
}

function bomb(megabytes: number): RequestListener {
  const packed = gzipSync(Buffer.alloc(megabytes * 1024 * 1024));
  return (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
}

function halfGzip(_request: IncomingMessage, response: ServerResponse): void {
  const packed = gzipSync('{"a":"a long enough text to be cut"}');
  response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.subarray(0, 20));
}
