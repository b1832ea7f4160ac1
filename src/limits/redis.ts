import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Log } from '../domain/log.ts';
import type { Clock } from '../lib/clock.ts';
import { runPeriodically } from '../lib/run-periodically.ts';
import { loadRedis } from './load-redis.ts';
import { HEARTBEAT } from './scripts.ts';
import type { CountOptions, SharedCount } from './shared-limiter.ts';

/**
 * One connection to Redis that never makes anybody wait: what is not answered at once has failed. That it is away is told
 * once, and so is its return. Each process says every second that it is there, and learns how many there are.
 */
export async function openRedis(options: RedisOptions): Promise<SharedRedis> {
  const { url, prefix, log, clock, commandTimeoutMs = COMMAND_TIMEOUT_MS } = options;
  const [Redis, { createSharedCount }] = await Promise.all([loadRedis(), import('./shared-limiter.ts')]);
  const client = new Redis(url, {
    keyPrefix: prefix,
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: commandTimeoutMs,
    // A command that waits for the connection to come back would be worse than none.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => RECONNECT_MS,
  });
  const me = randomUUID();
  const beat = define(client, 'crossbookHeartbeat', HEARTBEAT);
  let processes: number | undefined;
  let thereSince: number | undefined;
  let isClosing = false;
  let cause = '';
  let hasToldAway = false;
  let hasBeenAway = false;

  client.on('error', (error: Error) => {
    cause = error.message;
  });
  client.on('ready', () => {
    thereSince = clock.now();
    if (hasToldAway) log.info({}, 'Redis is there again: limits are shared');
    hasToldAway = false;
    void heartbeat().catch(() => undefined);
  });
  client.on('close', () => {
    thereSince = undefined;
    if (!hasToldAway && !isClosing) {
      log.warn({ cause }, 'Redis is away: until it returns, this process keeps its limits alone');
    }
    hasToldAway = true;
    hasBeenAway = true;
  });
  await client.connect().catch(() => undefined);
  const beating = runPeriodically({
    intervalMs: HEARTBEAT_MS,
    work: async () => isThere() && heartbeat(),
    // Connected, and yet no answer: it counts as away until a new connection answers.
    onError: () => client.disconnect(true),
  });

  return {
    client,
    createCount: (count) => createSharedCount(client, count),
    define: (name, script) => define(client, name, script),
    isThere,
    thereSince: () => thereSince,
    hasBeenAway: () => hasBeenAway,
    missed() {
      hasBeenAway = true;
      if (thereSince !== undefined) thereSince = clock.now();
    },
    processes: () => processes ?? ASSUMED_PROCESSES,
    async close() {
      isClosing = true;
      await beating.stop();
      if (isThere()) await client.zrem(PROCESSES, me).catch(() => undefined);
      client.disconnect();
    },
  };

  function isThere(): boolean {
    return client.status === 'ready';
  }

  function isReturning(): boolean {
    return hasBeenAway && (thereSince === undefined || clock.now() - thereSince <= OTHERS_RETURN_MS);
  }

  async function heartbeat(): Promise<void> {
    const counted = Number(await beat([PROCESSES], [me, GONE_AFTER_MS]));
    // After an outage, processes that have not reconnected yet are not counted, and still use their share.
    processes = isReturning() ? Math.max(counted, processes ?? ASSUMED_PROCESSES) : counted;
  }
}

function define(client: Redis, name: string, lua: string): RunScript {
  client.defineCommand(name, { lua });
  const run = Reflect.get(client, name) as (...values: (string | number)[]) => Promise<unknown>;
  return (keys, values) => run.call(client, keys.length, ...keys, ...values);
}

const CONNECT_TIMEOUT_MS = 2_000;
/** Longer than a process that is busy needs to read what has come already. */
const COMMAND_TIMEOUT_MS = 1_000;
const RECONNECT_MS = 500;
const HEARTBEAT_MS = 1_000;
const GONE_AFTER_MS = 5_000;
/** The longest that other processes take to find Redis again after this one. */
export const OTHERS_RETURN_MS = 5_000;
const PROCESSES = 'processes';
/** Until Redis has told: who shares limits is hardly alone. */
const ASSUMED_PROCESSES = 2;

export type RunScript = (keys: readonly string[], values: readonly (string | number)[]) => Promise<unknown>;

export interface SharedRedis {
  readonly client: Redis;
  /** Counts requests for all that share it. */
  createCount(options: CountOptions): SharedCount;
  define(name: string, lua: string): RunScript;
  isThere(): boolean;
  /** By the monotonic clock; undefined while it is away. */
  thereSince(): number | undefined;
  hasBeenAway(): boolean;
  /** A command of consequence was not answered: as if it had been away until now. */
  missed(): void;
  /** How many share it, as last heard. */
  processes(): number;
  close(): Promise<void>;
}

export interface RedisOptions {
  readonly url: string;
  /** In front of every key. */
  readonly prefix: string;
  readonly log: Log;
  readonly clock: Pick<Clock, 'now'>;
  /** After how long a command has failed. */
  readonly commandTimeoutMs?: number | undefined;
}
