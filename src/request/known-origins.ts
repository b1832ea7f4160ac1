import { createTimedCache } from '../lib/timed-cache.ts';
import { CALLER_MAX_AGE_MS } from './known-callers.ts';

/** Which applications name a web origin: read every few seconds, and only while browsers call. */
export function createKnownOrigins({ list, now }: KnownOriginsOptions): () => Promise<OriginsOfApplications> {
  const cache = createTimedCache<OriginsOfApplications>({
    maxAgeMs: CALLER_MAX_AGE_MS,
    maxEntries: 1,
    now,
  });
  return async () => (await cache.find('all', async () => turnAround(await list()))) ?? new Map();
}

function turnAround(all: Awaited<ReturnType<KnownOriginsOptions['list']>>): OriginsOfApplications {
  const found = new Map<string, Set<string>>();
  for (const { applicationId, origins } of all) {
    for (const origin of origins) {
      found.set(origin, (found.get(origin) ?? new Set()).add(applicationId));
    }
  }
  return found;
}

/** Origin → ids of the applications that name it. */
export type OriginsOfApplications = ReadonlyMap<string, ReadonlySet<string>>;

interface KnownOriginsOptions {
  list(): Promise<readonly { readonly applicationId: string; readonly origins: readonly string[] }[]>;
  now(): number;
}
