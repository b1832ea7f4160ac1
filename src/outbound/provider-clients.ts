import type { Connection } from '../domain/connection.ts';
import type { ContactAccess } from '../domain/provider.ts';
import type { Clock } from '../lib/clock.ts';
import type { ClientStats, ProviderClient } from './provider-client.ts';

/** The clients of the connections in use. Idle ones are dropped, so that a million customers do not fill the memory. */
export function createProviderClients({ clock, maxKept, create }: ClientsOptions): ProviderClients {
  const clients = new Map<string, Kept>();
  let tidyAt = clock.now() + TIDY_EVERY_MS;
  let fullUntil = 0;

  return {
    of(connection, access) {
      const now = clock.now();
      let kept = clients.get(connection.id);
      if (!kept) {
        if (clients.size >= maxKept && now >= fullUntil) tidy(now);
        kept = { client: create(connection, access), usedAt: now };
        clients.set(connection.id, kept);
      }
      kept.usedAt = now;
      if (now >= tidyAt) tidy(now - KEPT_MS);
      return kept.client;
    },

    find: (connectionId) => clients.get(connectionId)?.client,

    counts: () => [...clients.values()].map(({ client }) => client.counts()),

    get size() {
      return clients.size;
    },
  };

  /** A client in use, or one whose provider asked for a pause, stays: dropping it would drop the pause. */
  function tidy(usedBefore: number): void {
    tidyAt = clock.now() + TIDY_EVERY_MS;
    for (const [id, { client, usedAt }] of clients) {
      if (usedAt < usedBefore && client.isIdle()) clients.delete(id);
    }
    // Where all are in use, searching them again for each new client finds nothing.
    if (clients.size >= maxKept) fullUntil = clock.now() + LOOK_AGAIN_MS;
  }
}

const TIDY_EVERY_MS = 60_000;
const KEPT_MS = 5 * 60_000;
const LOOK_AGAIN_MS = 1_000;

export interface ProviderClients {
  of(connection: Connection, access: ContactAccess): ProviderClient;
  find(connectionId: string): ProviderClient | undefined;
  counts(): readonly ClientStats[];
  readonly size: number;
}

interface ClientsOptions {
  readonly clock: Clock;
  readonly maxKept: number;
  create(connection: Connection, access: ContactAccess): ProviderClient;
}

interface Kept {
  readonly client: ProviderClient;
  usedAt: number;
}
