import { afterEach, describe, expect, test } from 'vitest';
import type { CrossbookError } from '../../src/domain/errors.ts';
import { createOperationLimit, type OperationLimit } from '../../src/outbound/operation-limit.ts';
import { byDomain } from '../support/by-domain.ts';
import { createFakeWork } from '../support/fake-work.ts';
import { openWireServer } from '../support/wire-server.ts';
import { createFakeAccess, openStub } from './fake-access.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe('the limit of waiting operations', () => {
  test('gives a connection two fifths, an application half, and leaves some for others', () => {
    const waiting = createOperationLimit(100);
    expect(fill(waiting, 'a', 'x')).toEqual([40, 'REMOTE_PROVIDER_RATE_LIMITED']);
    expect(fill(waiting, 'a', 'y')).toEqual([10, 'SERVICE_UNAVAILABLE']);
    expect(fill(waiting, 'b', 'z')[0]).toBeGreaterThan(10);
    expect(fill(waiting, 'c', 'w')[0]).toBeGreaterThan(1);
  });

  test('counts an operation until it ends', () => {
    const waiting = createOperationLimit(100);
    const leave = waiting.enter({ application: 'a', connection: 'x' });
    expect([waiting.countOf('x'), waiting.counts().waiting]).toEqual([1, 1]);
    leave();
    expect([waiting.countOf('x'), waiting.counts().waiting]).toEqual([0, 0]);
  });

  test('refuses with a time to try again', () => {
    const waiting = createOperationLimit(0);
    expect(() => waiting.enter({ application: 'a', connection: 'x' })).toThrow(
      expect.objectContaining({ code: 'REMOTE_PROVIDER_RATE_LIMITED', retryAfterMs: 1_000 }),
    );
    expect(waiting.counts().refused).toBe(1);
  });
});

describe('an operation that waits for its provider', () => {
  test('does not begin for a client that has disconnected', async () => {
    const { openPort, asked } = await open();
    const work = createFakeWork();
    work.disconnect();
    await expect(openPort({}, work).count(byDomain('x.co'))).rejects.toThrow('disconnected');
    expect(asked).toEqual([]);
  });

  test('ends when its client disconnects: the call is aborted, and its slot is free', async () => {
    const { openPort, asked, outbound } = await open();
    const work = createFakeWork();
    const counted = openPort({}, work).count(byDomain('x.co'));
    await expect.poll(() => asked.length).toBe(1);
    expect(outbound.countWaiting().waiting).toBe(1);
    work.disconnect();
    await expect(counted).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(outbound.countWaiting().waiting).toBe(0);
    await expect.poll(() => asked[0]?.isBrokenOff()).toBe(true);
  });

  test('leaves the queue when its client disconnects, and those behind it move up', async () => {
    const { openPort, answer, asked } = await open({ concurrency: 1 });
    const gone = createFakeWork();
    const first = openPort().count(byDomain('first.co'));
    await expect.poll(() => asked.length).toBe(1);
    const second = expect(openPort({}, gone).count(byDomain('second.co'))).rejects.toThrow();
    const third = openPort().count(byDomain('third.co'));
    gone.disconnect();
    await second;
    answer();
    await expect.poll(() => asked.length).toBe(2);
    answer();
    expect(await Promise.all([first, third])).toEqual([7, 7]);
    expect(asked.map(({ url }) => url)).toEqual(['/count/first.co', '/count/third.co']);
  });

  test('is rejected when too many wait, while another connection’s continues', async () => {
    const { openPort, answer, asked } = await open({ concurrency: 1, maxWaiting: 5 });
    const waiting = [openPort().count(byDomain('x.co')), openPort().count(byDomain('x.co'))];
    await expect(openPort().count(byDomain('x.co'))).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_RATE_LIMITED',
    });
    const other = openPort({ id: 'another' }).count(byDomain('x.co'));
    for (let answered = 0; answered < 3; answered++) {
      await expect.poll(() => asked.length).toBeGreaterThan(answered);
      answer();
    }
    expect(await Promise.all([...waiting, other])).toEqual([7, 7, 7]);
  });
});

/** Enters until it is refused: how often it could, and with which code it is refused. */
function fill(waiting: OperationLimit, application: string, connection: string) {
  for (let entered = 0; ; entered++) {
    try {
      waiting.enter({ application, connection });
    } catch (error) {
      return [entered, (error as CrossbookError).code];
    }
  }
}

async function open({ concurrency = 10, maxWaiting = 1_000 } = {}) {
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
  const access = createFakeAccess({ budgets: { general: { concurrency } } });
  const stub = openStub(server.origin, {
    access,
    settings: { maxWaiting },
  });
  closing.push(server.close, stub.outbound.close);
  let answered = 0;
  return { ...stub, asked, answer: () => asked[answered++]?.answer() };
}
