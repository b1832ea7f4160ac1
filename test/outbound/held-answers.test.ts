import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { ProviderResponse } from '../../src/domain/remote.ts';
import { createMemoryLimit } from '../../src/limits/memory-limit.ts';
import { createFakePermit } from '../support/fake-permit.ts';
import { openWireServer } from '../support/wire-server.ts';
import { createFakeAccess, openStub } from './fake-access.ts';

const MB = 1024 * 1024;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('memory for a provider’s response', () => {
  test('is reserved until its request ends', async () => {
    const { call, held, permit } = await open((_, response) => response.end('x'.repeat(MB)));
    for (const answer of await Promise.all([call(), call()])) answer.discardBody?.();
    expectAbout(held(), 2 * MB);
    permit.end();
    expect(held()).toBe(0);
  });

  test('beyond the share of its connection is refused with 503, and nothing stays reserved', async () => {
    const { call, held, permit } = await open((_, response) => response.end('x'.repeat(5 * MB)), {
      maxBytes: 20 * MB,
    });
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => call()));
    const refused = all.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(refused.length).toBeGreaterThanOrEqual(6);
    for (const error of refused)
      expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterMs: 1_000 });
    expect(held()).toBeLessThanOrEqual(10 * MB);
    permit.end();
    expect(held()).toBe(0);
  });

  test('is reserved by the decompressed size', async () => {
    const bomb = gzipSync(Buffer.alloc(16 * MB, 'x'));
    const { call, held, permit } = await open((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    (await call()).discardBody?.();
    expectAbout(held(), 16 * MB + bomb.length);
    permit.end();
    expect(held()).toBe(0);
  });

  test('is refused before parsing if the parsed value would be many times larger', async () => {
    const bomb = `[${'{},'.repeat(10 * MB)}{}]`;
    const { call } = await open((_, response) => response.end(bomb), { maxBytes: 4_000 * MB });
    await expect(call()).rejects.toMatchObject({ code: 'REMOTE_PROVIDER_BAD_RESPONSE' });
  });

  test('is reserved for parsing until the response is parsed', async () => {
    const text = JSON.stringify(Array.from({ length: 100_000 }, (_, id) => ({ id })));
    const { call, held, permit } = await open((_, response) => response.end(text));
    const answer = await call();
    expect(held()).toBeGreaterThan(2 * text.length);
    answer.discardBody?.();
    expectAbout(held(), text.length);
    permit.end();
    expect(held()).toBe(0);
  });

  test('is released when the response is incomplete, or its client disconnects', async () => {
    const { call, held, permit } = await open((_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    });
    await expect(call()).rejects.toThrow();
    expect(held()).toBe(0);
    const {
      call: slow,
      held: heldThere,
      permit: gone,
    } = await open((_, response) => {
      response.write('half');
    });
    const waiting = expect(slow()).rejects.toThrow();
    await expect.poll(heldThere).toBe(4);
    gone.go();
    await waiting;
    expect(heldThere()).toBe(0);
    permit.end();
  });
});

/** The network may split a response into short chunks, which are reserved by the block. */
function expectAbout(held: number, bytes: number): void {
  expect(held).toBeGreaterThanOrEqual(bytes);
  expect(held).toBeLessThan(bytes + BLOCKS);
}

const BLOCKS = 128 * 1024;

/** Each call reads the answer's text, and gives the answer. */
async function open(listener: RequestListener, { maxBytes = 400 * MB } = {}) {
  const server = await openWireServer(listener);
  const heldBytes = createMemoryLimit({ maxBytes });
  const permit = createFakePermit();
  const answers: ProviderResponse[] = [];
  const plain = createFakeAccess();
  const access = createFakeAccess({
    open: (options) => ({
      ...plain.open(options),
      async countByDomain() {
        const answer = await options.send({ method: 'GET', path: '/', budget: 'general' });
        return answers.push(answer) - 1 + 0 * answer.body.length;
      },
    }),
  });
  const { openPort, outbound } = openStub(server.origin, { access, heldBytes, random: () => 0 });
  closing.push(server.close, outbound.close);
  return {
    permit,
    held: () => heldBytes.counts().kinds.provider_response.held,
    async call(): Promise<ProviderResponse> {
      const answer = answers[await openPort({}, permit).countByDomain('x.co')];
      if (!answer) throw new Error('There is no answer.');
      return answer;
    },
  };
}
