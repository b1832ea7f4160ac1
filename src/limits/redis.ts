import { randomUUID } from 'node:crypto';
import type { Log } from '../domain/log.ts';
import { type Clock, runPeriodically, TimeLimitError, withLimit } from '../lib/clock.ts';

/**
 * A Redis connection that fails fast: a command without a timely reply has failed, and closes the connection, so that
 * no other command waits. A new connection is used once a heartbeat has got its reply. Outages and recoveries are
 * logged once each. The heartbeat every second announces this process and returns how many there are.
 */
export async function openRedis({ url, prefix, log, clock, ...options }: RedisOptions) {
  const { commandTimeoutMs = COMMAND_TIMEOUT_MS } = options;
  const { createRedisClient, createSharedCount } = await loadRedis();
  const client = createRedisClient(url, {
    keyPrefix: prefix,
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // For the handshake; `inTime` limits all other commands.
    commandTimeout: CONNECT_TIMEOUT_MS,
    // Commands must not queue for a reconnect: failing fast is better than a late reply.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => RECONNECT_MS,
  });
  const me = randomUUID();
  const beat = define('crossbookHeartbeat', HEARTBEAT);
  /** By the last heartbeat. Before the first: an installation with Redis usually has several. */
  let processes = 2;
  /** Whether this connection has got a reply. */
  let isAnswering = false;
  let connectedSince: number | undefined;
  let isClosing = false;
  let cause = '';
  let hasLoggedOutage = false;
  let hasBeenAway = false;
  let endStart = () => {};
  const left = new Promise<void>((resolve) => {
    endStart = resolve;
  });

  client.on('error', (error: Error) => {
    cause = error.message;
    // While no Sentinel names a master there is no connection that could close.
    if (client.status === 'connecting') leave();
  });
  client.on('ready', () => void greet());
  client.on('close', leave);
  await Promise.race([client.connect().then(greet, () => undefined), left]);
  const beating = runPeriodically({
    intervalMs: HEARTBEAT_MS,
    work: async () => isConnected() && heartbeat(),
    onError: () => undefined,
  });

  return {
    client,
    /** Opens a counter that all processes share. */
    createCount(options: Parameters<typeof createSharedCount>[1]) {
      const count = createSharedCount(client, options);
      return async (key: string, units: number) => {
        if (!isAnswering) throw new Error('Redis is unavailable.');
        return inTime(() => count(key, units));
      };
    },
    define,
    isConnected,
    /** Monotonic time of the connect; undefined while disconnected. */
    connectedSince: () => connectedSince,
    hasBeenAway: () => hasBeenAway,
    /** A command with an effect got no reply: treated like an outage that ends now. */
    markInterrupted(): void {
      hasBeenAway = true;
      if (connectedSince !== undefined) connectedSince = clock.now();
    },
    /** The number of processes, by the last heartbeat. */
    processes: () => processes,
    async close(): Promise<void> {
      isClosing = true;
      await beating.stop();
      if (isConnected()) await client.zrem(PROCESSES, me).catch(() => undefined);
      client.disconnect();
    },
  };

  function define(name: string, lua: string) {
    client.defineCommand(name, { lua });
    const run = Reflect.get(client, name) as (...values: (string | number)[]) => Promise<unknown>;
    return (keys: readonly string[], values: readonly (string | number)[]) =>
      inTime(() => run.call(client, keys.length, ...keys, ...values));
  }

  function isConnected(): boolean {
    return isAnswering;
  }

  function leave(): void {
    isAnswering = false;
    connectedSince = undefined;
    if (!hasLoggedOutage && !isClosing) {
      log.warn({ cause }, 'Redis is unreachable: this process applies its own limits');
    }
    hasLoggedOutage = true;
    hasBeenAway = true;
    endStart();
  }

  /** Uses a new connection only after its first reply: a slow server would make callers wait again. */
  async function greet(): Promise<void> {
    const hasReplied = await heartbeat().then(
      () => true,
      () => false,
    );
    if (!hasReplied || isAnswering || client.status !== 'ready') return;
    isAnswering = true;
    connectedSince = clock.now();
    if (hasLoggedOutage) log.info({}, 'Redis is reachable again');
    hasLoggedOutage = false;
  }

  /** A late reply closes the connection, and all other commands fail with it. */
  async function inTime<T>(command: () => Promise<T>): Promise<T> {
    try {
      return await withLimit(command(), { limitMs: commandTimeoutMs, clock });
    } catch (error) {
      if (error instanceof TimeLimitError) client.disconnect(true);
      throw error;
    }
  }

  function isReturning(): boolean {
    return (
      hasBeenAway &&
      (connectedSince === undefined || clock.now() - connectedSince <= OTHERS_RETURN_MS)
    );
  }

  async function heartbeat(): Promise<void> {
    const counted = Number(await beat([PROCESSES], [me, GONE_AFTER_MS]));
    // After an outage, processes that have not reconnected yet are not counted, and still use their share.
    processes = isReturning() ? Math.max(counted, processes) : counted;
  }
}

const CONNECT_TIMEOUT_MS = 2_000;
/** A caller waits for this. Time in which the process was busy does not count. */
const COMMAND_TIMEOUT_MS = 250;
const RECONNECT_MS = 500;
const HEARTBEAT_MS = 1_000;
const GONE_AFTER_MS = 5_000;
/** The longest that other processes take to reconnect after this one. */
export const OTHERS_RETURN_MS = 5_000;
const PROCESSES = 'processes';

/** Called only with REDIS_URL. ioredis has a class that extends `String`. */
async function loadRedis() {
  const library = await import('./redis-counter.ts');
  keepStringMethodsFast();
  return library;
}

/** After a class that extends `String` was defined: measured in docs/decisions/performance.md. */
function keepStringMethodsFast(): void {
  const text = Object('text') as string;
  for (let call = 0; call < CALLS; call += 1) text.charAt(call);
}

/** V8 optimizes only code that has been called several times. */
const CALLS = 100;

/** Checks the connection and the credentials. Rejects with the reason, which contains no secret. */
export async function pingRedis(url: string): Promise<void> {
  const { createRedisClient } = await loadRedis();
  const client = createRedisClient(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: CONNECT_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The error of `connect` only says that there is no connection; the event has the cause.
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

/** Uses the clock of Redis, because the clocks of the processes may differ. */
export const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/**
 * Key: the processes. Arguments: id of this process, and the timeout after which a silent process is removed. Returns
 * the number of processes.
 */
const HEARTBEAT = `${NOW}
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
`;

export type SharedRedis = Awaited<ReturnType<typeof openRedis>>;

export interface RedisOptions {
  readonly url: string;
  /** The prefix of every key. */
  readonly prefix: string;
  readonly log: Log;
  readonly clock: Pick<Clock, 'now' | 'schedule'>;
  /** The timeout of a command. */
  readonly commandTimeoutMs?: number | undefined;
}
