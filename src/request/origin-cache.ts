import { createTtlCache } from '../lib/cache.ts';
import { CALLER_MAX_AGE_MS } from './caller.ts';

/** Which applications name a web origin: read every few seconds, and only while browsers call. */
export function createOriginCache({ list, always = [], now }: OriginCacheOptions): FindOrigins {
  const cache = createTtlCache<OriginsOfApplications>({
    maxAgeMs: CALLER_MAX_AGE_MS,
    maxEntries: 1,
    now,
  });
  return () => {
    const found = cache.find('all', async () => turnAround([...always, ...(await list())]));
    return found instanceof Promise ? found.then((origins) => origins ?? NONE) : (found ?? NONE);
  };
}

function turnAround(all: readonly NamedOrigins[]): OriginsOfApplications {
  const found = new Map<string, Set<string>>();
  for (const { applicationId, origins } of all) {
    for (const origin of origins) {
      found.set(origin, (found.get(origin) ?? new Set()).add(applicationId));
    }
  }
  return found;
}

const NONE: OriginsOfApplications = new Map();

/** What is remembered comes at once. */
type FindOrigins = () => Promise<OriginsOfApplications> | OriginsOfApplications;

/** Origin → ids of the applications that name it. */
type OriginsOfApplications = ReadonlyMap<string, ReadonlySet<string>>;

interface NamedOrigins {
  readonly applicationId: string;
  readonly origins: readonly string[];
}

interface OriginCacheOptions {
  list(): Promise<readonly NamedOrigins[]>;
  /** Beside those that are stored. */
  readonly always?: readonly NamedOrigins[] | undefined;
  now(): number;
}
