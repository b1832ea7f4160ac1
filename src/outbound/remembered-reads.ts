import { AbandonedError } from '../domain/errors.ts';
import { createTtlCache } from '../lib/cache.ts';
import type { Clock } from '../lib/clock.ts';

/** What rarely changes in the CRM of one connection, such as pipelines: cached in this process for an hour. */
export class RememberedReads {
  readonly #cache;

  constructor({ now }: Pick<Clock, 'now'>) {
    this.#cache = createTtlCache<object>({
      maxAgeMs: MAX_AGE_MS,
      maxEntries: MAX_ENTRIES,
      // A read is made by one request and ends with it: the next one reads again.
      isAbandoned: (error) => error instanceof AbandonedError,
      now,
    });
  }

  async read<Read extends object>(
    name: string,
    read: () => Promise<Read>,
    maxAgeMs?: number,
  ): Promise<Read> {
    return (await this.#cache.find(name, read, maxAgeMs)) as Read;
  }
}

const MAX_AGE_MS = 60 * 60_000;
/** Adapters name what they read by constants. */
const MAX_ENTRIES = 10;
