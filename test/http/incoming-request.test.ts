import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IncomingRequest } from '../../src/http/incoming-request.ts';

function open(message: { url?: string; method?: string; headers?: Record<string, string> }) {
  const body = new PassThrough();
  const headers = { host: 'crossbook.test', ...message.headers };
  const incoming = Object.assign(body, { method: 'POST', url: '/graphql', ...message, headers });
  return { body, request: new IncomingRequest(incoming as unknown as IncomingMessage) };
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
  ])('of %s is %s', (url, pathname) => {
    expect(open({ url }).request.pathname).toBe(pathname);
  });

  test('is that of the URL, whatever was sent', () => {
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

test('headers are found by name, and can be gone through', () => {
  const { request } = open({ headers: { 'x-api-key': 'key' } });
  expect(request.headers.get('x-api-key')).toBe('key');
  expect(request.headers.get('authorization')).toBeNull();
  expect(Object.fromEntries(request.headers)).toEqual({ host: 'crossbook.test', 'x-api-key': 'key' });
});

describe('the body', () => {
  test('is read in whatever pieces it comes, and its end is told', async () => {
    const { request, body } = open({ headers: { 'content-length': '6' } });
    let isWhole = false;
    request.whenWhole(() => {
      isWhole = true;
    });
    const read = request.readBody(6);
    body.write('abc');
    expect(isWhole).toBe(false);
    body.end('def');
    expect(String(await read)).toBe('abcdef');
    expect(isWhole).toBe(true);
  });

  test('that is none is whole at once', () => {
    for (const headers of [{}, { 'content-length': '0' }]) {
      let isWhole = false;
      open({ headers }).request.whenWhole(() => {
        isWhole = true;
      });
      expect(isWhole).toBe(true);
    }
  });

  test('that says it is too large is not read', async () => {
    const { request, body } = open({ headers: { 'content-length': '7' } });
    expect(await request.readBody(6)).toBeUndefined();
    expect(body.listenerCount('data')).toBe(0);
  });

  test('that is larger than it may be is let go by', async () => {
    const { request, body } = open({ headers: { 'transfer-encoding': 'chunked' } });
    const read = request.readBody(6);
    body.write('abcd');
    body.write('efgh');
    expect(await read).toBeUndefined();
    body.end('ijkl');
    await expect.poll(() => body.readableEnded).toBe(true);
  });

  test('that breaks off is the client’s mistake', async () => {
    const { request, body } = open({ headers: { 'content-length': '6' } });
    const read = request.readBody(6);
    body.destroy(new Error('aborted'));
    await expect(read).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  });
});
