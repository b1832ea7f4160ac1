import type { Config } from '../../config.ts';
import { toReason } from '../../lib/to-reason.ts';
import { pingRedis } from '../../limits/ping-redis.ts';
import type { Finding } from './finding.ts';

/** Away it is no more than a warning: serving goes on, each process with limits of its own. */
export async function checkRedis({ redis }: Pick<Config, 'redis'>): Promise<readonly Finding[]> {
  if (!redis) return [];
  // Without the password that the URL may have.
  const { host } = new URL(redis.url);
  try {
    await pingRedis(redis.url);
    return [{ subject: 'redis', state: 'ok', detail: `${host} answers` }];
  } catch (error) {
    const reason = toReason(error);
    const detail = `${host} cannot be used: ${reason}. Limits are not shared until it can.`;
    return [{ subject: 'redis', state: 'warning', detail }];
  }
}
