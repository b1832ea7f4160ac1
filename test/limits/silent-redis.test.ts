import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openRedis } from '../../src/limits/redis.ts';
import { createFakeClock } from '../support/clock.ts';
import { createFakeLog } from '../support/fake-log.ts';
import {
  describeOnRedis,
  freshPrefix,
  openTestLimits,
  REDIS_URL,
  until,
} from '../support/redis.ts';

/** A way to the server on which it can fall silent without hanging up. */
async function openMutableProxy() {
  const { hostname, port } = new URL(REDIS_URL);
  const sockets = new Set<Socket>();
  let isSilent = false;
  const server: Server = createServer((client) => {
    const upstream = connect(Number(port || 6379), hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined));
    client.on('data', (data) => upstream.write(data)).on('close', () => upstream.destroy());
    upstream.on('data', (data) => isSilent || client.write(data));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setSilent: (silent: boolean) => {
      isSilent = silent;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describeOnRedis('a Redis that is connected and says nothing', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  const open = async (isSilent: boolean) => {
    const proxy = await openMutableProxy();
    closing.push(proxy.close);
    proxy.setSilent(isSilent);
    const log = createFakeLog();
    const limits = await openTestLimits({ url: proxy.url, prefix: freshPrefix() }, 5, log);
    closing.push(limits.close);
    return { proxy, limits, log };
  };
  const caller = { application: { id: 'a', name: 'A' }, credentialId: 'key' };

  test('does not prevent a start, and is used once it responds', async () => {
    const { proxy, limits, log } = await open(true);
    await limits.consumeRateLimit({ rateLimit: undefined }, caller);
    expect(limits.distributedRateLimits?.isConnected()).toBe(false);
    expect(log.lines).toHaveLength(1);
    proxy.setSilent(false);
    await until(() => limits.distributedRateLimits?.isConnected() === true);
  });

  test('counts as unavailable: requests get responses, and one line is logged', async () => {
    const { proxy, limits, log } = await open(false);
    // The first reply may take longer than the time limit on a busy machine.
    await until(() => limits.distributedRateLimits?.isConnected() === true);
    log.lines.splice(0);
    proxy.setSilent(true);
    await limits.consumeRateLimit({ rateLimit: undefined }, caller);
    expect(
      await limits.distributedRateLimits?.acquire({
        name: 'a',
        calls: 1,
        intervalMs: 1,
        leaseMs: 1,
      }),
    ).toBeUndefined();
    await until(() => limits.distributedRateLimits?.isConnected() === false);
    await until(() => log.lines.length > 0);
    expect(log.lines.map(({ level }) => level)).toEqual(['warn']);
  });
});

describeOnRedis('a Redis that becomes slow or freezes', () => {
  test('makes callers wait once for a quarter of a second, and then none until it replies in time', async () => {
    const proxy = await openMutableProxy();
    const clock = createFakeClock();
    const log = createFakeLog();
    const redis = await openRedis({ url: proxy.url, prefix: freshPrefix(), log, clock });
    const count = redis.createCount({ name: 'test', points: 100, windowMs: 60_000 });
    expect(await count('key', 1)).toMatchObject({ count: 1 });
    proxy.setSilent(true);
    const waiting = Array.from({ length: 10 }, () => count('key', 1).catch(() => 'failed'));
    const settled = watchSettled(waiting);
    await clock.advance(249);
    expect(settled()).toBe(0);
    await clock.advance(51);
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 10 }, () => 'failed'));
    // The clock stands still from here on: who waited for the time limit would wait for ever.
    for (let times = 0; times < 10; times += 1)
      expect(await count('key', 1).catch(() => 'failed')).toBe('failed');
    expect(redis.isConnected()).toBe(false);
    proxy.setSilent(false);
    await until(redis.isConnected);
    expect(await count('key', 1)).toMatchObject({ count: expect.any(Number) });
    expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'info']);
    await redis.close();
    proxy.close();
  });
});

function watchSettled(promises: readonly Promise<unknown>[]): () => number {
  let settled = 0;
  for (const promise of promises) promise.finally(() => (settled += 1));
  return () => settled;
}
