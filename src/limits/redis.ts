import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Log } from '../domain/log.ts';
import { type Clock, runPeriodically } from '../lib/clock.ts';

/**
 * One connection to Redis that never makes anybody wait: what is not answered at once has failed. That it is away is told
 * once, and so is its return. Each process says every second that it is there, and learns how many there are.
 */
export async function openRedis({ url, prefix, log, clock, ...options }: RedisOptions) {
  const { commandTimeoutMs = COMMAND_TIMEOUT_MS } = options;
  const { Redis, createSharedCount } = await loadRedis();
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
  let connectedSince: number | undefined;
  let isClosing = false;
  let cause = '';
  let hasToldAway = false;
  let hasBeenAway = false;

  client.on('error', (error: Error) => {
    cause = error.message;
  });
  client.on('ready', () => {
    connectedSince = clock.now();
    if (hasToldAway) log.info({}, 'Redis is there again: limits are shared');
    hasToldAway = false;
    void heartbeat().catch(() => undefined);
  });
  client.on('close', () => {
    connectedSince = undefined;
    if (!hasToldAway && !isClosing) {
      log.warn({ cause }, 'Redis is away: until it returns, this process keeps its limits alone');
    }
    hasToldAway = true;
    hasBeenAway = true;
  });
  await client.connect().catch(() => undefined);
  const beating = runPeriodically({
    intervalMs: HEARTBEAT_MS,
    work: async () => isConnected() && heartbeat(),
    // Connected, and yet no answer: it counts as away until a new connection answers.
    onError: () => client.disconnect(true),
  });

  return {
    client,
    /** Counts requests for all that share it. */
    createCount: (options: Parameters<typeof createSharedCount>[1]) => createSharedCount(client, options),
    define: (name: string, lua: string) => define(client, name, lua),
    isConnected,
    /** By the monotonic clock; undefined while it is away. */
    connectedSince: () => connectedSince,
    hasBeenAway: () => hasBeenAway,
    /** A command of consequence was not answered: as if it had been away until now. */
    markInterrupted(): void {
      hasBeenAway = true;
      if (connectedSince !== undefined) connectedSince = clock.now();
    },
    /** How many share it, as last heard. */
    processes: () => processes ?? ASSUMED_PROCESSES,
    async close(): Promise<void> {
      isClosing = true;
      await beating.stop();
      if (isConnected()) await client.zrem(PROCESSES, me).catch(() => undefined);
      client.disconnect();
    },
  };

  function isConnected(): boolean {
    return client.status === 'ready';
  }

  function isReturning(): boolean {
    return hasBeenAway && (connectedSince === undefined || clock.now() - connectedSince <= OTHERS_RETURN_MS);
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

/** Called only with REDIS_URL. A class of ioredis extends `String`. */
async function loadRedis() {
  const library = await import('./redis-counter.ts');
  keepStringMethodsFast();
  return library;
}

/**
 * To be called after a class that extends `String` came into being. What is extended the engine puts into a form that is
 * quick to change, and back when something is looked up through it; but only on an object, and a text is none. Until then
 * no method of any text in the process is compiled into the code that calls it: a twentieth of all time under load.
 */
function keepStringMethodsFast(): void {
  const text = Object('text') as string;
  for (let call = 0; call < CALLS; call += 1) text.charAt(call);
}

/** The engine looks at code that has been called a few times, and not at what runs once. */
const CALLS = 100;

/** Is it there, and does it let us in? Rejects with the reason, which holds no secret. */
export async function pingRedis(url: string): Promise<void> {
  const { Redis } = await loadRedis();
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // What `connect` rejects with says only that there is no connection.
  let cause: Error | undefined;
  client.on('error', (error: Error) => {
    cause ??= error;
  });
  try {
    await client.connect();
    await client.ping();
  } catch (error) {
    throw cause ?? error;
  } finally {
    client.disconnect();
  }
}

const TIMEOUT_MS = 2_000;

/** By Redis' own clock: those of the processes need not agree. */
export const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** Key: the processes. Values: who, and after how long without a word one is gone. Answers how many there are. */
const HEARTBEAT = `${NOW}
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
`;

type RunScript = (keys: readonly string[], values: readonly (string | number)[]) => Promise<unknown>;

export type SharedRedis = Awaited<ReturnType<typeof openRedis>>;

export interface RedisOptions {
  readonly url: string;
  /** In front of every key. */
  readonly prefix: string;
  readonly log: Log;
  readonly clock: Pick<Clock, 'now'>;
  /** After how long a command has failed. */
  readonly commandTimeoutMs?: number | undefined;
}
