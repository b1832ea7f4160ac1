import { and, eq, sql } from 'drizzle-orm';
import type { ConnectionStatus } from '../domain/connection.ts';
import type { CredentialStore, RefreshedCredentials, StoredCredentials } from '../domain/credentials.ts';
import type { Sealer } from '../domain/sealer.ts';
import type { Clock } from '../lib/clock.ts';
import { openCredentials, type Place, sealCredentials } from './credential-seal.ts';
import { MARK_REFUSED, REPLACE } from './credential-statements.ts';
import type { Engine } from './engine/engine.ts';
import { underRefreshLease } from './refresh-lease.ts';
import { connections, credentials } from './schema.ts';

/** Prepares the statement once; the function that it returns opens the store for one application. */
export function createCredentials(deps: Deps): (applicationId: string) => CredentialStore {
  const { engine, sealer, clock, leaseMs } = deps;
  const select = prepareSelect(engine);
  const flights = new Map<string, Flight>();
  return (applicationId) => {
    const find = async (connectionId: string) => {
      const [row] = await engine.repeatable(() => select.execute({ applicationId, connectionId }));
      return row && toFound(sealer, row);
    };
    /** Undefined where newer ones are stored already. */
    const findUpTo = async (connectionId: string, generation: number) => {
      const found = await find(connectionId);
      return found && found.stored.generation <= generation ? found : undefined;
    };
    const store: CredentialStore = {
      read: async (connectionId) => (await find(connectionId))?.stored,
      refreshOnce: async (connectionId, seen, refresh) => {
        const key = `refresh ${applicationId} ${connectionId}`;
        const running = flights.get(key);
        if (running) {
          const landed = await running;
          // It may have set out for an earlier generation than the one that was refused now.
          const isNewer = !landed || landed.generation > seen;
          return isNewer ? landed : store.refreshOnce(connectionId, seen, refresh);
        }
        const find = () => findUpTo(connectionId, seen);
        const flight = underRefreshLease(
          { engine, leaseMs, applicationId, connectionId, find },
          async (current) => replace({ ...deps, ...current }, await refresh(current.stored)),
        )
          .then((replaced) => replaced ?? store.read(connectionId))
          .finally(() => flights.delete(key));
        flights.set(key, flight);
        return flight;
      },
      markRefused: async (connectionId, seen, reason) => {
        const now = new Date(clock.wall()).toISOString();
        const values = [applicationId, connectionId, seen, reason, now];
        await engine.repeatable(() => engine.query(MARK_REFUSED, values));
        deps.onAppended();
      },
    };
    return store;
  };
}

/** Undefined when somebody stored others meanwhile: those are newer than what the refresh brought. */
async function replace(
  { engine, sealer, clock, onAppended, place, stored }: Deps & Found,
  refreshed: RefreshedCredentials,
): Promise<StoredCredentials | undefined> {
  const { sealed, keyId } = sealCredentials(sealer, place, refreshed.credentials);
  const instanceUrl = refreshed.instanceUrl ?? stored.instanceUrl;
  const { applicationId, connectionId } = place;
  const now = new Date(clock.wall()).toISOString();
  const values = [applicationId, connectionId, stored.generation, sealed, keyId, instanceUrl, now];
  // Repeatable, and worth repeating: some providers void the old refresh token, so that losing the new one is for good.
  const [row] = await engine.repeatable(() => engine.query<{ generation: number }>(REPLACE, values));
  if (stored.isRefused) onAppended();
  const { oauthClientId } = stored;
  return (
    row && {
      ...{ credentials: refreshed.credentials, generation: row.generation, instanceUrl, oauthClientId },
      isRefused: false,
    }
  );
}

function toFound(sealer: Sealer, row: SelectedRow): Found | undefined {
  const { sealed, generation, instanceUrl, status, lease, oauthClientId, ...place } = row;
  if (sealed === null) return undefined;
  return {
    place,
    lease,
    stored: {
      credentials: openCredentials(sealer, place, sealed),
      generation,
      instanceUrl,
      isRefused: status === 'reauthorize',
      oauthClientId,
    },
  };
}

function prepareSelect({ orm }: Engine) {
  return orm
    .select({
      connectionId: connections.id,
      applicationId: connections.applicationId,
      customerId: connections.customerId,
      providerName: connections.providerName,
      instanceUrl: connections.instanceUrl,
      status: connections.status,
      sealed: credentials.sealed,
      generation: credentials.generation,
      lease: credentials.refreshLease,
      oauthClientId: credentials.oauthClientId,
    })
    .from(credentials)
    .innerJoin(connections, eq(connections.id, credentials.connectionId))
    .where(
      and(
        eq(credentials.applicationId, sql.placeholder('applicationId')),
        eq(credentials.connectionId, sql.placeholder('connectionId')),
      ),
    )
    .prepare('read_credentials');
}

interface Found {
  readonly place: Place & { readonly connectionId: string };
  readonly lease: string | null;
  readonly stored: StoredCredentials;
}

interface SelectedRow extends Place {
  readonly connectionId: string;
  readonly sealed: string | null;
  readonly generation: number;
  readonly lease: string | null;
  readonly instanceUrl: string | null;
  readonly status: ConnectionStatus;
  readonly oauthClientId: string | null;
}

interface Deps {
  readonly engine: Engine;
  readonly sealer: Sealer;
  readonly clock: Pick<Clock, 'wall'>;
  readonly leaseMs: number;
  /** Events may be there that were not. */
  readonly onAppended: () => void;
}

type Flight = Promise<StoredCredentials | undefined>;
