import type { Caller } from '../domain/caller.ts';
import type { Log } from '../domain/log.ts';
import type { SharedBudgets } from '../domain/shared-budget.ts';
import { createSharedBudgets } from './budgets.ts';
import { createGuessLimits } from './guesses.ts';
import { sayQuota } from './quota-headers.ts';
import { openRedis } from './redis.ts';
import { createRequestLimits, type Visit } from './requests.ts';

/** The limits of this installation: of one process, or of several that share a Redis. */
export async function openLimits(options: LimitOptions): Promise<Limits> {
  const { perKey, perToken, guesses: perMinute, log, hash } = options;
  const redis = options.redis && (await openRedis({ ...options.redis, log }));
  const requests = createRequestLimits({ perKey, perToken, redis });
  const guesses = perMinute > 0 ? createGuessLimits({ perMinute, redis, hash, now: Date.now }) : undefined;

  return {
    check({ headers, address }) {
      const credential = readCredential(headers);
      if (address !== undefined && credential !== undefined) guesses?.check(address, credential);
    },

    right: (fingerprint) => guesses?.right(fingerprint),
    admit: requests.admit,

    settle({ visit: { admission }, headers, address, status, said }) {
      const isWrong = status === UNAUTHORIZED && !admission && readCredential(headers) !== undefined;
      if (isWrong && address !== undefined) {
        guesses?.wrong(address).catch((cause: unknown) => log.warn({ cause }, 'a wrong key was not counted'));
      }
      if (admission?.quota) sayQuota(admission.quota, said);
    },

    budgets: redis && createSharedBudgets(redis),
    close: async () => redis?.close(),
  };
}

function readCredential(headers: HeaderReader): string | undefined {
  return headers.get('x-api-key') ?? headers.get('authorization') ?? undefined;
}

const UNAUTHORIZED = 401;

export interface Limits {
  /** Before anything is looked up. Throws TOO_MANY_REQUESTS where too much has been guessed from there. */
  check(arrival: Arrival): void;
  /** A credential was looked up and is right: it is named by its digest. */
  right(fingerprint: string): void;
  /** The caller is known. Throws or rejects with TOO_MANY_REQUESTS; undefined where nobody had to be asked. */
  admit(visit: Visit, caller: Caller): Promise<void> | undefined;
  /** After the answer: adds to its headers what there is to say of the limit. */
  settle(departure: Departure): void;
  /** Undefined where nobody shares any. */
  readonly budgets: SharedBudgets | undefined;
  close(): Promise<void>;
}

interface Arrival {
  readonly headers: HeaderReader;
  /** Undefined where it is not known: nothing is counted then. */
  readonly address: string | undefined;
}

interface Departure extends Arrival {
  /** The same as `admit` was told. */
  readonly visit: Visit;
  readonly status: number;
  readonly said: Record<string, string>;
}

interface HeaderReader {
  get(name: string): string | null;
}

export interface LimitOptions {
  /** Requests a minute; 0: no limit. */
  readonly perKey: number;
  readonly perToken: number;
  /** Wrong keys a minute from one address; 0: no limit. */
  readonly guesses: number;
  readonly redis: { readonly url: string; readonly prefix: string } | undefined;
  readonly log: Log;
  hash(text: string): string;
}
