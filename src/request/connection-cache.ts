import type { Connection } from '../domain/connection.ts';
import type { ConnectionTarget } from '../domain/connection-store.ts';
import type { Clock } from '../lib/clock.ts';
import { createTtlCache } from '../lib/ttl-cache.ts';

/**
 * How long another process may still see a connection as it was. What this one changes, it sees at once. A removal waits
 * for as long before it is answered, so that then no process answers for what is gone.
 */
export const CONNECTION_MAX_AGE_MS = 2_000;
/** With a moment for an answer that was confirmed just before on its way to the socket. */
export const REMOVAL_SETTLES_MS = CONNECTION_MAX_AGE_MS + 500;
const MAX_CONNECTIONS = 10_000;

/** Connections that were just looked at: a search does not ask the database for its connection each time. */
export function createConnectionCache({ now }: Pick<Clock, 'now'>): ConnectionCache {
  const known = createTtlCache<Connection>({
    maxAgeMs: CONNECTION_MAX_AGE_MS,
    maxEntries: MAX_CONNECTIONS,
    now,
  });
  return {
    find: (applicationId, target, load) => known.find(toKey(applicationId, target), load),
    forget: (applicationId, target) => known.forget(toKey(applicationId, target)),
  };
}

/** Neither an application's id nor a provider's name holds a space. */
function toKey(applicationId: string, { customerId, providerName }: ConnectionTarget): string {
  return `${applicationId} ${providerName} ${customerId}`;
}

export interface ConnectionCache {
  find(
    applicationId: string,
    target: ConnectionTarget,
    load: () => Promise<Connection | undefined>,
  ): Promise<Connection | undefined> | Connection | undefined;
  forget(applicationId: string, target: ConnectionTarget): void;
}
