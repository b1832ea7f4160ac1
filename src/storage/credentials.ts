import { and, eq, sql } from 'drizzle-orm';
import type { ConnectionStatus, Credentials } from '../domain/connection.ts';
import type { EventType } from '../domain/event.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { CredentialStore, RefreshedCredentials, StoredCredentials } from '../domain/tenant.ts';
import type { Clock } from '../lib/clock.ts';
import type { Engine } from './engine/open.ts';
import { CONNECTION_DATA, recordEvents } from './events.ts';
import { underRefreshLease } from './refresh-lease.ts';
import { connections, credentials } from './schema.ts';
import { type SealedText, type Sealer, sealWithKeyId } from './sealing/seal.ts';

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

/**
 * Both touch the connection before its credentials, as an upsert does, so that none of them can deadlock. Both look at
 * the generation in the row that they have locked: one that an upsert has just replaced is not theirs to change.
 */
const LOCK_CURRENT = `
with connection as (
  select id, status from crossbook.connections
  where application_id = $1::uuid and id = $2::uuid for no key update
), current as (
  select kept.connection_id, connection.status from crossbook.credentials as kept join connection on connection.id = kept.connection_id
  where kept.generation = $3::int and kept.sealed is not null for no key update of kept
)`;

/** Of a connection's row that is locked, so that its status before and its sequence are the true ones. */
const toEvent = (type: EventType) => `
  select gen_random_uuid() as id, customer_id, id as connection_id, '${type}' as type, event_sequence as sequence,
    ${CONNECTION_DATA} as data`;

const REPLACE = {
  name: 'replace_credentials',
  text: `${LOCK_CURRENT}, replaced as (
  update crossbook.credentials as kept
  set sealed = $4::text, key_id = $5::text, generation = kept.generation + 1, updated_at = $7::timestamptz
  from current where kept.connection_id = current.connection_id
  returning kept.connection_id, kept.generation, current.status
), linked as (
  update crossbook.connections as kept
  set instance_url = $6::text, status = 'connected', status_reason = null,
    status_changed_at = case when kept.status = 'connected' then kept.status_changed_at else $7::timestamptz end,
    event_sequence = kept.event_sequence + case when replaced.status = 'reauthorize' then 1 else 0 end
  from replaced where kept.id = replaced.connection_id
  returning kept.*, replaced.status as status_before
), ${recordEvents(
    `${toEvent('connection.recovered')} from linked where status_before = 'reauthorize'`,
    '$7::timestamptz',
  )}
select generation from replaced`,
};

const MARK_REFUSED = {
  name: 'mark_credentials_refused',
  text: `${LOCK_CURRENT}, refused as (
  update crossbook.connections as kept
  set status = 'reauthorize', status_reason = $4::text, status_changed_at = $5::timestamptz,
    event_sequence = kept.event_sequence + case when current.status = 'reauthorize' then 0 else 1 end
  from current where kept.id = current.connection_id
    and (kept.status, kept.status_reason) is distinct from ('reauthorize', $4::text)
  returning kept.*, current.status as status_before
), ${recordEvents(
    `${toEvent('connection.reauthorize')} from refused where status_before <> 'reauthorize'`,
    '$5::timestamptz',
  )}
select from refused`,
};

export function sealCredentials(sealer: Sealer, place: CredentialKey, credentials: Credentials): SealedText {
  return sealWithKeyId(sealer, JSON.stringify(credentials), bindingOf(place));
}

function openCredentials(sealer: Sealer, place: CredentialKey, sealed: string): Credentials {
  const opened = tryOpenCredentials(sealer, place, sealed);
  if (opened) return opened;
  throw new Error(
    'Stored credentials do not open: altered, moved, or sealed with a key that is not in the ring',
  );
}

export function tryOpenCredentials(
  sealer: Sealer,
  place: CredentialKey,
  sealed: string,
): Credentials | undefined {
  const opened = sealer.open(sealed, bindingOf(place));
  return opened === undefined ? undefined : JSON.parse(opened);
}

/**
 * Bound to its row by what names the row in the world (application, customer, provider: unique together), not by the
 * connection's id: an upsert seals before the database has decided whether the connection exists already.
 */
function bindingOf({ applicationId, customerId, providerName }: CredentialKey): string {
  return JSON.stringify(['credentials.sealed', applicationId, customerId, providerName]);
}

interface Found {
  readonly place: CredentialKey & { readonly connectionId: string };
  readonly lease: string | null;
  readonly stored: StoredCredentials;
}

interface SelectedRow extends CredentialKey {
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

export interface CredentialKey {
  readonly applicationId: string;
  readonly customerId: string;
  readonly providerName: ProviderName;
}
