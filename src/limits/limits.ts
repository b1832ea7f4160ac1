import type { Journal } from '../domain/journal.ts';
import type { Log } from '../domain/log.ts';
import type { SharedBudgets } from '../domain/shared-budget.ts';
import type { Clock } from '../lib/clock.ts';
import { createSharedBudgets } from './budgets.ts';
import { createFailedAuthentications, type FailedAuthentications } from './failed-authentications.ts';
import { setRateLimitHeaders } from './limiter.ts';
import { createPageTurns, type RequirePageTurn } from './page-turns.ts';
import { openRedis, type RedisOptions } from './redis.ts';
import { createRequestLimits, type RequestLimits } from './requests.ts';

/** The limits of this installation: of one process, or of several that share a Redis. */
export async function openLimits(options: LimitOptions): Promise<Limits> {
  const { perKey, perToken, guesses: perMinute, pages = 0, log, hash, clock } = options;
  const redis = options.redis && (await openRedis({ ...options.redis, log, clock }));
  const { admit, charge } = createRequestLimits({ perKey, perToken, redis, clock });
  const onError = (cause: unknown) => log.warn({ cause }, 'a failed authentication was not counted');

  return {
    admit,
    charge,
    failures:
      perMinute > 0 ? createFailedAuthentications({ perMinute, redis, hash, clock, onError }) : NO_FAILURES,
    requirePageTurn: createPageTurns({ perMinute: pages, redis, hash, clock }),
    addQuota: ({ admission }, headers) => {
      if (admission?.quota) setRateLimitHeaders(admission.quota, headers);
    },
    budgets: redis && createSharedBudgets(redis, clock),
    close: async () => redis?.close(),
  };
}

const NO_FAILURES: FailedAuthentications = { slowPlace: () => undefined, count: () => {} };

export interface Limits extends RequestLimits {
  /** Failed look-ups of API keys, by address. */
  readonly failures: FailedAuthentications;
  /** Pages that anybody may ask for, by address. */
  readonly requirePageTurn: RequirePageTurn;
  /** Adds to the headers of a response what there is to say of the caller's limit. */
  addQuota(request: Pick<Journal, 'admission'>, headers: Record<string, string>): void;
  /** Undefined where nobody shares any. */
  readonly budgets: SharedBudgets | undefined;
  close(): Promise<void>;
}

export interface LimitOptions {
  /** Units a minute; 0: no limit. */
  readonly perKey: number;
  readonly perToken: number;
  /** Failed look-ups a minute from one address; 0: no limit. */
  readonly guesses: number;
  /** Pages of connect links a minute for one address; 0 or absent: no limit. */
  readonly pages?: number | undefined;
  readonly redis: Omit<RedisOptions, 'log' | 'clock'> | undefined;
  readonly log: Log;
  readonly clock: Pick<Clock, 'now'>;
  hash(text: string): string;
}
