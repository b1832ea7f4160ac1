import { expect, test } from 'vitest';
import type { RequestRecord } from '../../src/domain/journal.ts';
import { type CorsDeps, withCors } from '../../src/http/cors.ts';
import type { HttpRequest } from '../../src/lib/http-message.ts';
import { openJournal } from '../../src/telemetry/journal.ts';
import { createFakeLog } from '../support/fake-log.ts';
import { toFetch } from '../support/to-fetch.ts';

const ORIGINS = new Map([
  ['https://mine.example', new Set(['mine'])],
  ['https://both.example', new Set(['mine', 'theirs'])],
]);

/** The key is the application’s id, and `wrong` is a wrong one. */
function open(patch: Partial<CorsDeps> & { status?: number } = {}) {
  const handled: string[] = [];
  const told: RequestRecord[] = [];
  const handle = async (request: HttpRequest) => {
    handled.push(request.method);
    return { status: patch.status ?? 200, headers: { vary: 'accept' }, body: 'answer' };
  };
  const front = withCors(handle, {
    listOrigins: async () => ORIGINS,
    async findApplicationId(headers) {
      if (headers.get('x-api-key') === 'wrong') throw new Error('UNAUTHORIZED');
      return headers.get('x-api-key') ?? undefined;
    },
    openJournal: (arrival) =>
      openJournal(arrival, { log: createFakeLog(), now: Date.now, onDone: (record) => told.push(record) }),
    ...patch,
  });
  const ask = (method: string, headers: Record<string, string>) =>
    toFetch(front)(new Request('http://crossbook.test/graphql', { method, headers }));
  const allowed = async (origin: string, key?: string) => {
    const { headers } = await ask('POST', { origin, ...(key !== undefined && { 'x-api-key': key }) });
    expect(headers.has('access-control-allow-credentials')).toBe(false);
    return headers.get('access-control-allow-origin');
  };
  return { ask, allowed, handled, told };
}

const PREFLIGHT = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' };

test('a page may read an answer where its application names its origin, and nowhere else', async () => {
  const { allowed } = open();
  expect(await allowed('https://mine.example', 'mine')).toBe('https://mine.example');
  expect(await allowed('https://both.example', 'theirs')).toBe('https://both.example');
  expect(await allowed('https://mine.example', 'theirs')).toBeNull();
  for (const origin of [
    'https://other.example',
    'https://mine.example.evil',
    'http://mine.example',
    'null',
    '*',
  ]) {
    expect(await allowed(origin, 'mine'), origin).toBeNull();
  }
});

test('a preflight is answered where any application names the origin, and never reaches a face', async () => {
  const { ask, handled } = open();
  const answer = await ask('OPTIONS', { origin: 'https://mine.example', ...PREFLIGHT });
  expect([answer.status, handled]).toEqual([204, []]);
  expect(answer.headers.get('access-control-allow-origin')).toBe('https://mine.example');
  for (const name of ['authorization', 'content-type', 'x-api-key', 'x-customer-id', 'x-provider-name']) {
    expect(answer.headers.get('access-control-allow-headers')).toContain(name);
  }
  expect(answer.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT');
  expect(answer.headers.get('vary')).toContain('Origin');
  const refused = await ask('OPTIONS', { origin: 'https://other.example', ...PREFLIGHT });
  expect(refused.headers.has('access-control-allow-origin')).toBe(false);
  expect(handled).toEqual(['OPTIONS']);
});

test('a preflight is told of like any other request, under the id that its answer has', async () => {
  const { ask, told } = open();
  const asked = { origin: 'https://mine.example', ...PREFLIGHT, 'x-request-id': 'mine-1' };
  expect((await ask('OPTIONS', asked)).headers.get('x-request-id')).toBe('mine-1');
  expect(told).toEqual([
    expect.objectContaining({ method: 'OPTIONS', path: '/graphql', requestId: 'mine-1', status: 204 }),
  ]);
});

test('a page can read why it was refused, also when its key or token is not valid', async () => {
  const { allowed } = open({ status: 401 });
  for (const key of [undefined, 'wrong']) {
    expect(await allowed('https://mine.example', key)).toBe('https://mine.example');
    expect(await allowed('https://other.example', key)).toBeNull();
  }
});

test('without a caller nothing but refusals can be read: the page of the demo shows its key', async () => {
  expect(await open().allowed('https://mine.example')).toBeNull();
});

test('caches are told that the answer depends on the origin', async () => {
  const { ask } = open();
  const { headers } = await ask('GET', { origin: 'https://mine.example', 'x-api-key': 'mine' });
  expect(headers.get('vary')).toBe('accept, Origin');
});

test('where no origin is named, or none is sent, nothing is said', async () => {
  const answers = [
    await open({ listOrigins: async () => new Map() }).ask('POST', { origin: 'https://mine.example' }),
    await open({ listOrigins: () => Promise.reject(new Error('away')) }).ask('OPTIONS', {
      origin: 'https://mine.example',
      ...PREFLIGHT,
    }),
    await open().ask('POST', { 'x-api-key': 'mine' }),
  ];
  for (const { headers, status } of answers) {
    expect(status).toBe(200);
    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  }
});
