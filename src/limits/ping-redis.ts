import { loadRedis } from './load-redis.ts';

/** Is it there, and does it let us in? Rejects with the reason, which holds no secret. */
export async function pingRedis(url: string): Promise<void> {
  const Redis = await loadRedis();
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
