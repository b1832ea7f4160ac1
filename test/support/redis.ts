import { randomUUID } from 'node:crypto';
import { describe } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { openLimits } from '../../src/limits/limits.ts';
import { openRedis } from '../../src/limits/redis.ts';
import { createFakeLog } from './fake-log.ts';
import { openTcpProxy } from './tcp-proxy.ts';

/** For suites about shared state: where TEST_REDIS_URL names a server. */
export function describeOnRedis(title: string, suite: () => void): void {
  describe.skipIf(!HAS_REDIS)(`${title} (redis)`, suite);
}

export const REDIS_URL = process.env['TEST_REDIS_URL'] ?? '';
export const HAS_REDIS = REDIS_URL !== '';

/** Commands are slow on a busy machine: only tests of an unresponsive Redis have a short timeout. */
export const HANGING_MS = 600_000;

/** Keys of one test, because files run in parallel. */
export function freshPrefix(): string {
  return `crossbook-test-${randomUUID()}:`;
}

/** A proxy to the server that can be cut. */
export async function openRedisProxy() {
  const { hostname, port } = new URL(REDIS_URL);
  const proxy = await openTcpProxy({ host: hostname, port: Number(port || 6379) });
  const url = new URL(REDIS_URL);
  url.host = `127.0.0.1:${proxy.port}`;
  return { ...proxy, url: url.href };
}

export async function openTestRedis(
  prefix: string,
  {
    url = REDIS_URL,
    log = createFakeLog() as Log,
    clock = systemClock as Pick<Clock, 'now' | 'schedule'>,
  } = {},
) {
  return openRedis({ url, prefix, log, clock, commandTimeoutMs: HANGING_MS });
}

export function openTestLimits(
  redis: { url: string; prefix: string; commandTimeoutMs?: number },
  perApplication = 5,
  log: Log = createFakeLog(),
) {
  const hash = (text: string) => text;
  return openLimits({
    perApplication,
    perCustomer: perApplication,
    failedAuthentications: perApplication,
    redis,
    log,
    hash,
    clock: systemClock,
  });
}

/** Waits, one event-loop iteration at a time, until the condition holds; only the test's own timeout applies. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}
