import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { openRedis, pingRedis } from '../../src/limits/redis.ts';
import { createFakeLog } from '../support/fake-log.ts';
import { findFreePorts } from '../support/free-ports.ts';
import { isListening } from '../support/is-listening.ts';
import { REDIS_SERVER } from '../support/machine.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const PASSWORD = 'hunter2';

describe.skipIf(!REDIS_SERVER)('A Redis URL that names Sentinels', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  test('leads to the master, and after a failover to the new one', async () => {
    const { masters, startSentinel, url } = await openServers();
    await startSentinel();
    const [master, replica] = masters;
    const { redis, log } = await open(url);
    await expect.poll(redis.isConnected).toBe(true);
    expect(redis.client.options).toMatchObject({ db: 2 });
    expect(await portOf(redis)).toBe(master.port);
    await pingRedis(url);
    master.child.kill('SIGKILL');
    await expect.poll(() => portOf(redis).catch(String)).toBe(replica.port);
    await expect.poll(redis.isConnected).toBe(true);
    expect(log.lines).toHaveLength(2);
    expect(JSON.stringify(log.lines)).not.toContain(PASSWORD);
  });

  test('does not prevent a start while no Sentinel is reachable, and is used once one is', async () => {
    const { startSentinel, url } = await openServers();
    const { redis, log } = await open(url);
    expect(redis.isConnected()).toBe(false);
    expect(log.lines).toHaveLength(1);
    expect(JSON.stringify(log.lines)).toMatch(/All sentinels are unreachable/);
    await expect(pingRedis(url)).rejects.toThrow('All sentinels are unreachable');
    await startSentinel();
    await expect.poll(redis.isConnected).toBe(true);
    expect(log.lines).toHaveLength(2);
  });

  async function open(url: string) {
    const log = createFakeLog();
    const options = { url, prefix: 'test:', log, clock: systemClock };
    const redis = await openRedis({ ...options, commandTimeoutMs: 10_000 });
    closing.push(redis.close);
    return { redis, log };
  }

  /** A master and its replica. The Sentinel alone decides about a failover. */
  async function openServers() {
    const folder = makeTemporaryFolder();
    closing.push(() => rmSync(folder, { recursive: true, force: true }));
    const [one, other, sentinel] = [
      await findFreePorts(),
      await findFreePorts(),
      await findFreePorts(),
    ];
    const servers = `requirepass ${PASSWORD}\nmasterauth ${PASSWORD}\nsave ""\nrepl-diskless-sync-delay 0\n`;
    const master = await start(folder, one, servers);
    const replica = await start(folder, other, `${servers}replicaof 127.0.0.1 ${one}\n`);
    return {
      masters: [master, replica] as const,
      // The first Sentinel of the list is down.
      url: `redis+sentinel://:${PASSWORD}@127.0.0.1:${sentinel + 1},127.0.0.1:${sentinel}/mymaster/2`,
      async startSentinel() {
        await start(
          folder,
          sentinel,
          [
            `sentinel monitor mymaster 127.0.0.1 ${one} 1`,
            `sentinel auth-pass mymaster ${PASSWORD}`,
            'sentinel down-after-milliseconds mymaster 1000',
            'sentinel failover-timeout mymaster 2000\n',
          ].join('\n'),
          '--sentinel',
        );
        await untilReplicaIsKnown(sentinel);
      },
    };
  }

  /** A Sentinel learns of replicas from the master, every ten seconds. Without a replica there is no failover. */
  async function untilReplicaIsKnown(sentinel: number): Promise<void> {
    const client = new Redis(sentinel, '127.0.0.1');
    const listReplicas = () => client.call('SENTINEL', 'REPLICAS', 'mymaster').then(String);
    await expect.poll(listReplicas).toMatch(/flags,slave,.*master-link-status,ok/);
    client.disconnect();
  }

  async function start(folder: string, port: number, settings: string, ...more: string[]) {
    const file = join(folder, `${port}.conf`);
    writeFileSync(file, `port ${port}\nbind 127.0.0.1\ndir ${folder}\n${settings}`);
    const child: ChildProcess = spawn(REDIS_SERVER ?? '', [file, ...more], { stdio: 'ignore' });
    closing.push(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    await expect.poll(() => isListening(port)).toBe(true);
    return { port, child };
  }
});

async function portOf({ client }: Awaited<ReturnType<typeof openRedis>>): Promise<number> {
  const [, port] = (await client.config('GET', 'port')) as string[];
  return Number(port);
}
