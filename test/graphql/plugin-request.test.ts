import { afterEach, expect, test, vi } from 'vitest';
import { PluginRequest } from '../../src/graphql/engine/plugin-request.ts';

afterEach(() => vi.unstubAllGlobals());

const INCOMING = {
  method: 'POST',
  url: new URL('http://crossbook.test/graphql?a=1'),
  pathname: '/graphql',
  headers: new Headers({ 'x-client': 'test' }),
  readBody: () => Buffer.alloc(0),
};

test('the request of plugins has every member of a platform request that has no body', () => {
  const shown = new PluginRequest(INCOMING);
  const { method, url, headers } = INCOMING;
  const expected = new Request(url, { method, headers });
  const members = Object.keys(Object.getOwnPropertyDescriptors(PluginRequest.prototype)).filter(
    (name) => name !== 'constructor',
  ) as (keyof Request)[];
  expect(members).toEqual(
    expect.arrayContaining(['url', 'headers', 'signal', 'clone', 'text', 'json', 'bodyUsed']),
  );
  for (const name of members) {
    if (typeof expected[name] === 'function') expect(shown[name]).toBeTypeOf('function');
    else if (name !== 'signal') expect(shown[name]).toEqual(expected[name]);
  }
  expect(shown.headers.get('x-client')).toBe('test');
  expect(shown.clone().url).toBe(String(url));
});

test('a platform request is built when a plugin reads more than the method, and once', () => {
  const built = vi.fn();
  vi.stubGlobal(
    'Request',
    class extends Request {
      constructor(...args: ConstructorParameters<typeof Request>) {
        super(...args);
        built();
      }
    },
  );
  const shown = new PluginRequest(INCOMING);
  expect(shown.method).toBe('POST');
  expect(built).not.toHaveBeenCalled();
  expect(shown.headers.get('x-client')).toBe('test');
  expect(shown.url).toBe(String(INCOMING.url));
  expect(built).toHaveBeenCalledTimes(1);
});
