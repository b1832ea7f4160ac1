import { describe, expect, test, vi } from 'vitest';
import { AbandonedError, CrossbookError } from '../../src/domain/errors.ts';
import type { ArrivingRequest, HttpHeaders, HttpResponse } from '../../src/lib/http-message.ts';
import { JsonBytes, shareBytes } from '../../src/lib/response-body.ts';
import { openHandler, toCaller } from '../support/open-handler.ts';

const OK: HttpResponse = { status: 200, headers: {}, body: 'ok' };
const KEY = { 'x-api-key': 'mine' };

/** A body that is received as far as the handler lets it. */
function body(bytes: number) {
  const receiveBody = vi.fn<ArrivingRequest['receiveBody']>(async (limit) => {
    if (bytes > limit) throw new CrossbookError('PAYLOAD_TOO_LARGE', `more than ${limit}`);
  });
  return { hasBody: true, receiveBody, readBody: () => Buffer.alloc(bytes) };
}

describe('the caller', () => {
  test('is authenticated by the headers, before the body is read', async () => {
    const order: string[] = [];
    const { ask, callers } = openHandler({
      patch: {
        async findCaller() {
          order.push('caller');
          return toCaller('mine');
        },
      },
    });
    const sent = body(5);
    sent.receiveBody.mockImplementation(async () => void order.push('body'));
    await ask('POST', KEY, sent);
    expect(order).toEqual(['caller', 'body']);
    expect(callers[0]).toEqual(toCaller('mine'));
  });

  test('with a wrong credential is rejected immediately, without reading the body, a place or a call of an API', async () => {
    const { ask, answered, queue } = openHandler({ max: 1, answer: () => new Promise(() => {}) });
    void ask('GET', KEY);
    await expect.poll(() => queue.counts().running).toBe(1);
    const sent = body(5);
    expect((await ask('POST', { 'x-api-key': 'wrong' }, sent)).status).toBe(401);
    expect([sent.receiveBody.mock.calls, answered]).toEqual([[], ['GET']]);
  });

  test('is in the log line, also when the request is rejected', async () => {
    const { ask, records } = openHandler();
    await ask('POST', KEY, body(5_000));
    expect(records).toEqual([
      expect.objectContaining({ application: 'mine', credential: 'mine', status: 413 }),
    ]);
  });
});

describe('an unauthenticated client', () => {
  test('can send a small body only, which is checked before the body is read', async () => {
    const { ask, answered } = openHandler();
    const sent = body(11);
    expect(await ask('POST', {}, sent)).toMatchObject({ status: 413, body: 'more than 10' });
    expect(answered).toEqual([]);
    expect((await ask('POST', KEY, body(11))).status).toBe(200);
  });

  test('is rejected where anonymous requests are disabled, except for health checks', async () => {
    const { ask, answered } = openHandler({ maxUnauthenticated: 0 });
    expect((await ask('GET', {})).status).toBe(401);
    expect((await ask('POST', { 'x-api-key': 'wrong' }, body(5))).status).toBe(401);
    expect(answered).toEqual([]);
    expect((await ask('GET', {}, { pathname: '/livez' })).status).toBe(200);
    expect((await ask('GET', KEY)).status).toBe(200);
  });
});

describe('a permit', () => {
  test('is taken after the body has arrived, and released with the response', async () => {
    const responses: ((response: HttpResponse) => void)[] = [];
    const { ask, queue } = openHandler({
      answer: () => new Promise((resolve) => void responses.push(resolve)),
    });
    let arrive = () => {};
    const sent = body(5);
    sent.receiveBody.mockImplementation(
      () =>
        new Promise((resolve) => {
          arrive = resolve;
        }),
    );
    const asked = ask('POST', KEY, sent);
    await expect.poll(() => sent.receiveBody).toHaveBeenCalled();
    expect(queue.counts().running).toBe(0);
    arrive();
    await expect.poll(() => queue.counts().running).toBe(1);
    responses[0]?.(OK);
    await asked;
    expect(queue.counts().running).toBe(0);
  });

  test('is released when the work has ended that was aborted because the client disconnected', async () => {
    let close = () => {};
    const { ask, queue } = openHandler({
      answer: (_request, { signal }) =>
        new Promise((_resolve, reject) => {
          signal?.add(() => reject(new AbandonedError()));
        }),
    });
    const asked = ask('GET', KEY, {
      onClose: (callback) => {
        close = callback;
      },
    });
    await expect.poll(() => queue.counts().running).toBe(1);
    close();
    await asked;
    expect(queue.counts().running).toBe(0);
  });

  test.each([
    ['of another customer', { 'x-customer-id': 'y' }],
    ['of another provider', { 'x-customer-id': 'x', 'x-provider-name': 'hubspot' }],
    ['of a token for another customer', { 'x-customer-id': 'x', 'x-api-key': 'token' }],
  ])(
    'is there for a request %s, while one connection has its whole share',
    async (_title, sent) => {
      const begun: { headers: HttpHeaders; end: (response: HttpResponse) => void }[] = [];
      const { ask, queue } = openHandler({
        max: 6,
        answer: ({ headers }) => new Promise((end) => void begun.push({ headers, end })),
        patch: {
          findCaller: ({ headers }) => ({
            ...toCaller('mine'),
            ...(headers.get('x-api-key') === 'token' && { customer: { customerId: 'y' } }),
          }),
        },
      });
      for (let time = 0; time < 3; time++) void ask('GET', { ...KEY, 'x-customer-id': 'x' });
      await expect.poll(() => queue.counts()).toMatchObject({ running: 2, queued: 1 });
      void ask('GET', { ...KEY, ...sent });
      await expect.poll(() => begun).toHaveLength(3);
      expect(queue.counts().queued).toBe(1);
      expect(Object.fromEntries(begun[2]?.headers ?? [])).toEqual({ ...KEY, ...sent });
    },
  );

  test('is not counted separately for an unknown provider', async () => {
    const { ask, queue } = openHandler({ max: 6, answer: () => new Promise(() => {}) });
    const names = new Set<string | undefined>();
    const enter = queue.enter.bind(queue);
    queue.enter = (owner) => {
      names.add(owner.connection);
      return enter(owner);
    };
    for (const provider of ['a', 'b']) void ask('GET', { ...KEY, 'x-provider-name': provider });
    await expect.poll(() => queue.counts().running).toBe(2);
    expect(names.size).toBe(1);
  });

  test('is released when the API fails', async () => {
    const { ask, queue } = openHandler({ answer: () => Promise.reject(new Error('a bug')) });
    await ask('GET', KEY);
    expect(queue.counts().running).toBe(0);
  });

  test('is not needed for health', async () => {
    const { ask, queue } = openHandler({ max: 1, answer: () => new Promise(() => {}) });
    void ask('GET', KEY);
    await expect.poll(() => queue.counts().running).toBe(1);
    expect((await ask('GET', {}, { pathname: '/livez' })).status).toBe(200);
  });
});

test('a request counts towards the rate limit of its caller before anything of its body is received', async () => {
  const sent = body(5);
  const { ask, queue } = openHandler({
    patch: {
      consumeRateLimit() {
        throw new CrossbookError('TOO_MANY_REQUESTS', 'too many');
      },
    },
  });
  const { body: text } = await ask('POST', KEY, sent);
  expect(text).toBe('too many');
  expect(sent.receiveBody).not.toHaveBeenCalled();
  expect(queue.counts()).toMatchObject({ running: 0, queued: 0 });
});

test('a request with a long body needs a heavy place, until its response is handed over', async () => {
  const responses: ((response: HttpResponse) => void)[] = [];
  const { ask, queue } = openHandler({
    patch: { bodyBytes: { caller: 20_000, unauthenticated: 10 } },
    answer: () => new Promise((resolve) => void responses.push(resolve)),
  });
  const asked = [ask('POST', KEY, body(9_000)), ask('POST', KEY, body(8_000))];
  await expect.poll(() => responses).toHaveLength(2);
  expect(queue.counts().heavy.taken).toBe(1);
  for (const respond of responses) respond(OK);
  await Promise.all(asked);
  expect(queue.counts().heavy.taken).toBe(0);
});

describe('unread bytes', () => {
  test('of a long response are counted before it is sent, until it was sent', async () => {
    const closes: (() => void)[] = [];
    const { ask, unread, records } = openHandler({
      maxBytes: 500_000,
      answer: async () => ({ status: 200, headers: {}, body: 'x'.repeat(150_000) }),
    });
    const onClose = (callback: () => void) => void closes.push(callback);
    expect((await ask('GET', KEY, { onClose })).status).toBe(200);
    expect(unread.counts().held).toBe(150_000);
    await ask('GET', { 'x-api-key': 'other' }, { onClose });
    const refused = await ask('GET', KEY, { onClose });
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    // The API has turned it into an ordinary error, and the log has it as such.
    expect(refused.body).toContain('not read yet');
    expect(records.map(({ status }) => status)).toEqual([200, 200, 503]);
    for (const close of closes) close();
    expect(unread.counts().held).toBe(0);
    expect((await ask('GET', KEY)).status).toBe(200);
  });

  test('of text are counted by its size in bytes, which equals the Content-Length and the sent bytes', async () => {
    const text = 'ä'.repeat(40_000);
    const { ask, unread } = openHandler({
      answer: async () => ({ status: 200, headers: {}, body: text }),
    });
    const { headers, body } = await ask('GET', KEY);
    expect(unread.counts().held).toBe(80_000);
    expect(headers['content-length']).toBe('80000');
    expect(body).toEqual(Buffer.from(text));
  });

  test('are not counted for a body that all readers share', async () => {
    const page = shareBytes(Buffer.alloc(200_000, 'x'));
    const bodies = [page, new JsonBytes([Buffer.from('{'), page])];
    const { ask, unread } = openHandler({
      maxBytes: 10,
      answer: async () => ({ status: 200, headers: {}, body: bodies.pop() ?? null }),
    });
    const answered = [await ask('GET', {}), await ask('GET', {})];
    expect(answered.map(({ status, body }) => [status, body?.length])).toEqual([
      [200, 200_001],
      [200, 200_000],
    ]);
    expect(unread.counts()).toMatchObject({ held: 0, refused: 0 });
  });

  test('are not counted here for a short response', async () => {
    const { ask, unread } = openHandler({
      maxBytes: 10,
      answer: async () => ({ status: 200, headers: {}, body: 'x'.repeat(64 * 1024) }),
    });
    expect((await ask('GET', KEY)).status).toBe(200);
    expect(unread.counts()).toMatchObject({ held: 0, refused: 0 });
  });
});
