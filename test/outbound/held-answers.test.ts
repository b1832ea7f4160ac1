import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { createMemory } from '../../src/admission/memory.ts';
import type { JsonResponse } from '../../src/domain/remote.ts';
import { byDomain } from '../support/by-domain.ts';
import { createFakeWork } from '../support/fake-work.ts';
import { openWireServer } from '../support/wire-server.ts';
import { createFakeAccess, openStub } from './fake-access.ts';

const MB = 1024 * 1024;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('memory for a provider’s response', () => {
  test('is reserved until its request ends', async () => {
    const { call, held, work } = await open((_, response) => response.end('x'.repeat(MB)));
    await Promise.all([call(), call()]);
    expectAbout(held(), 2 * MB);
    work.end();
    expect(held()).toBe(0);
  });

  test('beyond the share of its connection is refused with 503, and nothing stays reserved', async () => {
    const { call, held, work } = await open((_, response) => response.end('x'.repeat(5 * MB)), {
      maxBytes: 20 * MB,
    });
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => call()));
    const refused = all.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused.length).toBeGreaterThanOrEqual(6);
    for (const error of refused)
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterMs: 1_000 });
    expect(held()).toBeLessThanOrEqual(10 * MB);
    work.end();
    expect(held()).toBe(0);
  });

  test('is reserved by the decompressed size', async () => {
    const bomb = gzipSync(Buffer.alloc(7 * MB, 'x'));
    const { call, held, work } = await open((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    await call();
    expectAbout(held(), 7 * MB + bomb.length);
    work.end();
    expect(held()).toBe(0);
  });

  test.each([
    ['many small values', () => `[${'{},'.repeat(10_000)}{}]`, 10_000 * 64],
    ['text outside of ASCII', () => JSON.stringify(Array(500).fill('€'.repeat(1_000))), 3_000_000],
  ])(
    'is reserved for the values that its JSON is parsed into: %s',
    async (_what, write, atLeast) => {
      const { call, held, work } = await open((_, response) => response.end(write()));
      const answer = await call();
      const received = held();
      await answer.readJson();
      expect(held() - received).toBeGreaterThanOrEqual(atLeast);
      answer.discardBody?.();
      expect(held()).toBeGreaterThanOrEqual(atLeast);
      work.end();
      expect(held()).toBe(0);
    },
  );

  test('is refused while it is parsed, where its values would exceed the limit', async () => {
    const text = `[${'[{},{}],'.repeat(90_000)}{}]`;
    const { call } = await open((_, response) => response.end(text), { maxBytes: 4 * MB });
    await expect((await call()).readJson()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  test('is released when the response is incomplete, or its client disconnects', async () => {
    const { call, held, work } = await open((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    await expect(call()).rejects.toThrow();
    expect(held()).toBe(0);
    const {
      call: slow,
      held: heldThere,
      work: gone,
    } = await open((_, response) => {
      response.write('half');
    });
    const waiting = expect(slow()).rejects.toThrow();
    await expect.poll(heldThere).toBeGreaterThanOrEqual(4);
    gone.disconnect();
    await waiting;
    expect(heldThere()).toBe(0);
    work.end();
  });
});

/** The network may split a response into short chunks, which are reserved by the block. */
function expectAbout(held: number, bytes: number): void {
  expect(held).toBeGreaterThanOrEqual(bytes);
  expect(held).toBeLessThan(bytes + BLOCKS);
}

const BLOCKS = 128 * 1024;

/** Each call gives the response. */
async function open(listener: RequestListener, { maxBytes = 400 * MB } = {}) {
  const server = await openWireServer(listener);
  const memory = createMemory({ maxBytes });
  const work = createFakeWork();
  const answers: JsonResponse[] = [];
  const plain = createFakeAccess();
  const access = createFakeAccess({
    open: (options) => ({
      ...plain.open(options),
      async count() {
        const answer = await options.send({ method: 'GET', path: '/', budget: 'general' });
        return answers.push(answer) - 1;
      },
    }),
  });
  const { openPort, outbound } = openStub(server.origin, { access, memory, random: () => 0 });
  closing.push(server.close, outbound.close);
  return {
    work,
    held: () => memory.counts().kinds.fetched_data.held,
    async call(): Promise<JsonResponse> {
      const answer = answers[(await openPort({}, work).count(byDomain('x.co'))) ?? 0];
      if (!answer) throw new Error('There is no answer.');
      return answer;
    },
  };
}
