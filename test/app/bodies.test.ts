import { ReadableStream } from 'node:stream/web';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { type Listener, listen } from '../support/listen.ts';
import { openApp, type TestApp } from '../support/open-app.ts';

const CHUNK = new Uint8Array(64 * 1024).fill(0x20);
const SEARCH = JSON.stringify({ query: '{ __typename }' });
const MEBIBYTE = 1024 * 1024;

let crossbook: TestApp;
let listener: Listener;
beforeAll(async () => {
  crossbook = await openApp();
  const { answer, unread, onRefused } = crossbook.app;
  const { bounds } = readConfig({});
  listener = await listen({ answer, unread, onRefused, host: '127.0.0.1', port: 0, bounds });
});
afterAll(async () => {
  await listener.close(1_000);
  await crossbook.close();
});

const BODIES: readonly (readonly [string, () => Partial<RequestInit>, number, string])[] = [
  [
    'too large, by its length',
    () => ({ body: ' '.repeat(MEBIBYTE + 1) }),
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  [
    'too large, in chunks without a length',
    () =>
      ({
        body: ReadableStream.from(Array(32).fill(CHUNK)),
        duplex: 'half',
      }) as Partial<RequestInit>,
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  [
    'compressed',
    () => ({ body: gzipSync(SEARCH), headers: { 'content-encoding': 'gzip' } }),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'compressed, and says twice so',
    () => ({ body: gzipSync(SEARCH), headers: { 'content-encoding': 'identity, gzip' } }),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
];

test.each([
  ['/graphql', 'application/json'],
  ['/graphql', 'application/graphql-response+json'],
  ['/crm/v2/contacts/_search', 'application/json'],
])(
  '%s in %s rejects a body that is too large or compressed, in the common format',
  async (path, accept) => {
    for (const [what, make, status, code] of BODIES) {
      const { headers, ...rest } = make();
      const response = await fetch(`${listener.url}${path}`, {
        method: 'POST',
        ...rest,
        headers: {
          'x-api-key': crossbook.key,
          'content-type': 'application/json',
          accept,
          ...headers,
        },
      });
      expect(response.status, what).toBe(status);
      expect(response.headers.get('content-type'), what).toContain(accept);
      const answer = (await response.json()) as { errors: readonly [{ extensions?: object }] };
      expect(Object.keys(answer), what).toEqual(['errors']);
      expect(answer.errors, what).toHaveLength(1);
      const [error] = answer.errors;
      expect(error.extensions ?? error, what).toEqual({
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        code,
        problem_type: code,
        status: String(status),
        title: expect.any(String),
        detail: expect.stringMatching(/\.$/),
        meta: { origin: 'crossbook', application_name: 'Demo application', retryable: false },
      });
    }
  },
);

test('a body that says it is not compressed is read', async () => {
  const response = await fetch(`${listener.url}/graphql`, {
    method: 'POST',
    headers: {
      'x-api-key': crossbook.key,
      'content-type': 'application/json',
      'content-encoding': 'identity',
    },
    body: SEARCH,
  });
  expect(await response.json()).toEqual({ data: { __typename: 'Query' } });
});

test('the form of a connect page has at most 8 KiB, and the page says so with its status', async () => {
  const send = (length: number) =>
    fetch(`${listener.url}/connect/forged/start`, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
      },
      body: 'a'.repeat(length),
    });
  expect((await send(8_192)).status).toBe(404);
  const refused = await send(8_193);
  expect([refused.status, refused.headers.get('content-type')]).toEqual([
    413,
    'text/html; charset=utf-8',
  ]);
});
