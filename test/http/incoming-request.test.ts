import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { hasPlainPath, IncomingRequest } from '../../src/http/incoming-request.ts';
import { fc } from '../support/fast-check.ts';

function open(message: { url?: string; method?: string; headers?: Record<string, string> }) {
  const body = new PassThrough();
  const headers = { host: 'crossbook.test', ...message.headers };
  const incoming = Object.assign(body, { method: 'POST', url: '/graphql', ...message, headers });
  const response = Object.assign(new EventEmitter(), { closed: false });
  const request = new IncomingRequest(
    incoming as unknown as IncomingMessage,
    response as unknown as ServerResponse,
  );
  return { body, request, response };
}

describe('the path', () => {
  test.each([
    ['/graphql', '/graphql'],
    ['/graphql?query=%7B__typename%7D', '/graphql'],
    ['/a/../graphql', '/graphql'],
    ['/a/%2e%2e/graphql', '/graphql'],
    ['/customers/a%2Fb', '/customers/a%2Fb'],
    ['//graphql', '//graphql'],
    ['http://crossbook.test/graphql?a=b', '/graphql'],
    ['*', '/'],
  ])('for %s is %s', (url, pathname) => {
    expect(open({ url }).request.pathname).toBe(pathname);
  });

  test('is that of the URL, for any request target', () => {
    const target = fc.array(
      fc.constantFrom('/', '.', '..', 'a', 'é', '%2e', '?', '#', '\\', '-', '_', ':', '@'),
    );
    fc.assert(
      fc.property(target, (parts) => {
        const { request } = open({ url: `/${parts.join('')}` });
        expect(request.pathname).toBe(request.url.pathname);
        expect(request.url.host).toBe('crossbook.test');
      }),
    );
  });
});

describe('a path that URL parsing would make another one', () => {
  test.each([
    '/connect\\..\\metrics',
    '/connect/../metrics',
    '/connect/./metrics',
    '/connect/%2e%2E/metrics',
    '/connect/.%2e/metrics',
    '/metrics/..',
    '/metrics/.?a',
    '/metrics#a',
    'http://crossbook.test/connect/../metrics',
  ])('is refused: %s', (url) => {
    expect(hasPlainPath({ url })).toBe(false);
  });

  test.each([
    '/',
    '/graphql?query={a(b:"/../\\"){c}}#d',
    '/customers/a.b/...',
    '/a%2F..',
    '*',
    'http://a.b/c',
  ])('is not %s', (url) => {
    expect(hasPlainPath({ url })).toBe(true);
  });

  test('is refused, whatever it is made of: parsing an accepted one only percent-encodes it', () => {
    const target = fc.array(
      fc.constantFrom('/', '.', '..', 'a', 'é', '%2e', '%2E', '?', '#', '\\', '\t', '-', ':', '@'),
    );
    fc.assert(
      fc.property(target, (parts) => {
        const url = `/${parts.join('')}`;
        if (!hasPlainPath({ url })) return;
        const [path = ''] = url.split('?');
        expect(decodeURIComponent(open({ url }).request.pathname)).toBe(decodeURIComponent(path));
      }),
    );
  });
});

test('headers are found by name, and can be iterated', () => {
  const { request } = open({ headers: { 'x-api-key': 'key' } });
  expect(request.headers.get('x-api-key')).toBe('key');
  expect(request.headers.get('authorization')).toBeNull();
  expect(Object.fromEntries(request.headers)).toEqual({
    host: 'crossbook.test',
    'x-api-key': 'key',
  });
});

describe('the body', () => {
  const nothing = () => {};
  const atOnce = async () => {};

  test('is received in chunks of any size, and can then be read repeatedly', async () => {
    const { request, body } = open({ headers: { 'content-length': '6' } });
    const received = request.receiveBody(6, atOnce);
    body.write('abc');
    body.end('def');
    await received;
    for (let time = 0; time < 2; time += 1) expect(String(request.readBody())).toBe('abcdef');
  });

  test('in one chunk is not copied', async () => {
    const { request, body } = open({ headers: { 'content-length': '2049' } });
    const received = request.receiveBody(2_049, atOnce);
    const chunk = Buffer.alloc(2_049, 'x');
    body.end(chunk);
    await received;
    expect(request.readBody()).toBe(chunk);
  });

  test('waits with its rest for a place where it is long', async () => {
    const { request, body } = open({ headers: { 'transfer-encoding': 'chunked' } });
    const steps: string[] = [];
    let begin = () => {};
    const turn = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const beginLong = () => {
      steps.push('waits');
      return turn;
    };
    const received = request.receiveBody(1_000_000, beginLong);
    const first = 'x'.repeat(65_537);
    body.write(first);
    await expect.poll(() => steps).toEqual(['waits']);
    body.end('y');
    expect(body.isPaused()).toBe(true);
    begin();
    await received;
    expect(String(request.readBody())).toBe(`${first}y`);
    expect(steps).toEqual(['waits']);
  });

  test.each([100, 100_000])(
    'in %d chunks of one byte is kept in one buffer, whether they arrive before or while it is received',
    async (sent) => {
      for (const isEarly of [true, false]) {
        const { request, body } = open({ headers: { 'transfer-encoding': 'chunked' } });
        const send = () => {
          for (let time = 0; time < sent; time += 1) body.write('x');
          body.end();
        };
        if (isEarly) send();
        if (isEarly) await expect.poll(() => body.readableEnded || body.isPaused()).toBe(true);
        const received = request.receiveBody(sent, atOnce);
        if (!isEarly) send();
        await received;
        expect(String(request.readBody())).toBe('x'.repeat(sent));
      }
    },
  );

  test('in chunks that nobody wants is read and dropped once the response has ended', async () => {
    const { body, response } = open({ headers: { 'transfer-encoding': 'chunked' } });
    body.write(Buffer.alloc(65_536));
    await expect.poll(() => body.isPaused()).toBe(true);
    body.end(Buffer.alloc(1_000_000));
    response.emit('finish');
    await expect.poll(() => body.readableEnded).toBe(true);
  });

  test('exists if the headers say so, whatever the method', () => {
    const has = (headers: Record<string, string>) =>
      open({ method: 'GET', headers }).request.hasBody;
    expect([{}, { 'content-length': '0' }].map(has)).toEqual([false, false]);
    expect([{ 'content-length': '1' }, { 'transfer-encoding': 'chunked' }].map(has)).toEqual([
      true,
      true,
    ]);
  });

  test('is empty when there is none', () => {
    expect(open({}).request.readBody()).toHaveLength(0);
  });

  test('is not read when its Content-Length is too large', async () => {
    const { request, body } = open({ headers: { 'content-length': '7' } });
    await expect(request.receiveBody(6, atOnce)).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    expect(body.listenerCount('data')).toBe(0);
  });

  test('is discarded as it arrives when it is too large', async () => {
    const { request, body } = open({ headers: { 'transfer-encoding': 'chunked' } });
    const received = request.receiveBody(6_000, atOnce);
    body.write(Buffer.alloc(4_000));
    body.write(Buffer.alloc(4_000));
    await expect(received).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    body.end('ijkl');
    await expect.poll(() => body.readableEnded).toBe(true);
  });

  test('is rejected and discarded when no place is free for its rest', async () => {
    const { request, body } = open({ headers: { 'transfer-encoding': 'chunked' } });
    const received = request.receiveBody(1_000_000, () => Promise.reject(new Error('no place')));
    body.write(Buffer.alloc(70_000));
    await expect(received).rejects.toThrow('no place');
    body.end(Buffer.alloc(70_000));
    await expect.poll(() => body.readableEnded).toBe(true);
  });

  test('is a client error when it is incomplete', async () => {
    const { request, body } = open({ headers: { 'content-length': '6' } });
    const received = request.receiveBody(6, atOnce);
    body.destroy(new Error('aborted'));
    await expect(received).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('is a client error when the client disconnects before or while it is received, with or without an error', async () => {
    for (const cause of [undefined, new Error('aborted')]) {
      const { request, body } = open({ headers: { 'content-length': '6' } });
      body.on('error', nothing).write('abc');
      body.destroy(cause);
      await expect(request.receiveBody(6, atOnce)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    }
    const { request, body } = open({ headers: { 'content-length': '6' } });
    const received = request.receiveBody(6, atOnce);
    body.destroy();
    await expect(received).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});

test('the end of the connection is reported, also to listeners that are added afterwards', () => {
  const { request, response } = open({});
  let told = 0;
  request.onClose(() => {
    told += 1;
  });
  expect(told).toBe(0);
  response.emit('close');
  expect(told).toBe(1);
  response.closed = true;
  request.onClose(() => {
    told += 1;
  });
  expect(told).toBe(2);
});
