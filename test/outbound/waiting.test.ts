import { afterEach, describe, expect, test } from 'vitest';
import { createMemoryLimit } from '../../src/limits/memory-limit.ts';
import { createWaiting } from '../../src/outbound/outbound.ts';
import { createFakePermit } from '../support/fake-permit.ts';
import { openWireServer } from '../support/wire-server.ts';
import { createFakeAccess, openStub } from './fake-access.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('the wait queue', () => {
  test('bounds the waiting calls of one connection, and frees their slots', () => {
    const waiting = createWaiting({ maxWaiting: 100, maxWaitingPerConnection: 2 });
    const [x, y] = [{ waiting: 0 }, { waiting: 0 }];
    waiting.enter('a', x);
    waiting.enter('a', x);
    expect(() => waiting.enter('a', x)).toThrow(
      expect.objectContaining({ code: 'REMOTE_PROVIDER_RATE_LIMITED', retryAfterMs: 1_000 }),
    );
    waiting.enter('a', y);
    waiting.leave('a', x);
    waiting.enter('a', x);
    expect([x.waiting, y.waiting]).toEqual([2, 1]);
    expect(waiting.counts()).toEqual({ waiting: 3, refused: 1 });
  });

  test('gives one application alone nearly all slots, and keeps one for another', () => {
    const waiting = createWaiting({ maxWaiting: 100, maxWaitingPerConnection: 1_000 });
    expect(fill(waiting, 'a')).toBe(90);
    expect(fill(waiting, 'b')).toBe(10);
    expect(() => waiting.enter('c', { waiting: 0 })).toThrow(
      expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }),
    );
  });

  test('is shared equally by applications with many calls', () => {
    const waiting = createWaiting({ maxWaiting: 100, maxWaitingPerConnection: 1_000 });
    waiting.enter('b', { waiting: 0 });
    expect(fill(waiting, 'a')).toBe(49);
    expect(fill(waiting, 'b')).toBe(44);
  });
});

describe('an operation that waits for its provider', () => {
  test('pauses its request’s permit meanwhile', async () => {
    const { openPort, answer, asked } = await open();
    const permit = createFakePermit();
    const counted = openPort({}, permit).countByDomain('x.co');
    await expect.poll(() => asked.length).toBe(1);
    expect(permit.paused()).toBe(1);
    answer();
    expect(await counted).toBe(7);
    expect([permit.paused(), permit.listening()]).toEqual([0, 0]);
  });

  test('ends when its client disconnects: the call is aborted, and its slot is free', async () => {
    const { openPort, asked, outbound, heldBytes } = await open();
    const permit = createFakePermit();
    const counted = openPort({}, permit).countByDomain('x.co');
    await expect.poll(() => asked.length).toBe(1);
    expect(outbound.countWaiting().waiting).toBe(1);
    permit.go();
    await expect(counted).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(outbound.countWaiting().waiting).toBe(0);
    await expect.poll(() => asked[0]?.isBrokenOff()).toBe(true);
    expect([permit.paused(), permit.listening(), heldBytes.counts().held]).toEqual([0, 0, 0]);
  });

  test('leaves the queue when its client disconnects, and those behind it move up', async () => {
    const { openPort, answer, asked } = await open({ concurrency: 1 });
    const gone = createFakePermit();
    const first = openPort().countByDomain('first.co');
    await expect.poll(() => asked.length).toBe(1);
    const second = expect(openPort({}, gone).countByDomain('second.co')).rejects.toThrow();
    const third = openPort().countByDomain('third.co');
    gone.go();
    await second;
    answer();
    await expect.poll(() => asked.length).toBe(2);
    answer();
    expect(await Promise.all([first, third])).toEqual([7, 7]);
    expect(asked.map(({ url }) => url)).toEqual(['/count/first.co', '/count/third.co']);
  });

  test('is rejected when too many wait, while another connection’s continues', async () => {
    const { openPort, answer, asked } = await open({ concurrency: 1, maxWaitingPerConnection: 2 });
    const waiting = [openPort().countByDomain('x.co'), openPort().countByDomain('x.co')];
    await expect(openPort().countByDomain('x.co')).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_RATE_LIMITED',
    });
    const other = openPort({ id: 'another' }).countByDomain('x.co');
    for (let answered = 0; answered < 3; answered++) {
      await expect.poll(() => asked.length).toBeGreaterThan(answered);
      answer();
    }
    expect(await Promise.all([...waiting, other])).toEqual([7, 7, 7]);
  });
});

function fill(waiting: ReturnType<typeof createWaiting>, application: string): number {
  const connection = { waiting: 0 };
  for (let entered = 0; ; entered++) {
    try {
      waiting.enter(application, connection);
    } catch {
      return entered;
    }
  }
}

async function open({ concurrency = 10, maxWaitingPerConnection = 100 } = {}) {
  const asked: { readonly url: string | undefined; answer(): void; isBrokenOff(): boolean }[] = [];
  const server = await openWireServer((request, response) => {
    let isBrokenOff = false;
    response.once('close', () => {
      isBrokenOff = !response.writableFinished;
    });
    asked.push({
      url: request.url,
      answer: () => response.end('7'),
      isBrokenOff: () => isBrokenOff,
    });
  });
  const heldBytes = createMemoryLimit({ maxBytes: 1_000_000 });
  const access = createFakeAccess({ budgets: { general: { concurrency } } });
  const stub = openStub(server.origin, {
    access,
    heldBytes,
    settings: { maxWaitingPerConnection },
  });
  closing.push(server.close, stub.outbound.close);
  let answered = 0;
  return { ...stub, asked, heldBytes, answer: () => asked[answered++]?.answer() };
}
