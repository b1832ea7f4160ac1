import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
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
