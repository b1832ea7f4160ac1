import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type ConnectionStatus, type Credentials, readFinalExpiry } from '../domain/connection.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { EventType } from '../domain/event.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { CredentialStore, RefreshedCredentials, StoredCredentials } from '../domain/tenant.ts';
import { systemClock } from '../lib/clock.ts';
import type { CustomerKey } from './customer-rows.ts';
import { CONNECTION_DATA, recordEvents } from './events.ts';
import type { SealedColumns, SealedText } from './sealed-columns.ts';
import type { SharedStoreDeps, StoreDeps } from './store-deps.ts';

/** All applications share the running refreshes; the returned function opens the store of one. */
export function createCredentials(
  shared: SharedStoreDeps,
  leaseMs: number,
): (applicationId: string) => CredentialStore {
  const refreshes = new Map<string, Promise<StoredCredentials | undefined>>();
  return (applicationId) => {
    const engine = shared.engine.forApplication(applicationId);
    const deps: StoreDeps = { ...shared, engine };
    const { now, onAppended, onUnplanned } = deps;
    const find = async (connectionId: string) => {
      const [row] = await engine.query<SelectedRow>(READ, [applicationId, connectionId]);
      return row && toFound(deps, row);
    };
    const store: CredentialStore = {
      read: async (connectionId) => (await find(connectionId))?.stored,
      refreshOnce: async (connectionId, seen, refresh) => {
        const key = `${applicationId} ${connectionId}`;
        const running = refreshes.get(key);
        if (running) {
          const refreshed = await running;
          // The shared refresh may have begun for an earlier generation than the one rejected now.
          const isNewer = !refreshed || refreshed.generation > seen;
          return isNewer ? refreshed : store.refreshOnce(connectionId, seen, refresh);
        }
        const findUpToSeen = async () => {
          const found = await find(connectionId);
          return found && found.generation <= seen ? found : undefined;
        };
        const refreshed = underRefreshLease(
          { engine, leaseMs, applicationId, connectionId, find: findUpToSeen },
          async (found) => replace(deps, found, await refresh(found.stored)),
        )
          .then((replaced) => replaced ?? store.read(connectionId))
          .finally(() => refreshes.delete(key));
        refreshes.set(key, refreshed);
        return refreshed;
      },
      markRefused: async (connectionId, seen, reason) => {
        const values = [applicationId, connectionId, seen, reason, now().toISOString()];
        const [refused] = await engine.query<{ customerId: string }>(MARK_REFUSED, values);
        onAppended();
        if (refused) onUnplanned({ applicationId, ...refused });
      },
      markTried: async ({ id, credentialsVersion }) => {
        const values = [applicationId, id, credentialsVersion, now().toISOString()];
        await engine.query(MARK_TRIED, values);
      },
    };
    return store;
  };
}

/** Undefined if newer credentials were stored meanwhile. */
async function replace(
  { engine, secrets, now, onAppended, onUnplanned }: StoreDeps,
  { stored, ...row }: Found,
  refreshed: RefreshedCredentials,
): Promise<StoredCredentials | undefined> {
  const fresh = sealCredentials(secrets, row, refreshed.credentials);
  const instanceUrl = refreshed.instanceUrl ?? stored.instanceUrl;
  const place = [row.applicationId, row.connectionId, row.generation];
  const values = [...place, fresh.sealed, fresh.keyId, instanceUrl, now().toISOString()];
  // Retried, because some providers invalidate the old refresh token, and losing the new one would be permanent.
  const [replaced] = await engine.query<{ generation: number }>(REPLACE, values);
  if (stored.isRefused) {
    onAppended();
    onUnplanned({ applicationId: row.applicationId, customerId: row.customerId });
  }
  const { credentials } = refreshed;
  return replaced && { ...stored, ...replaced, credentials, instanceUrl, isRefused: false };
}

function toFound({ secrets }: StoreDeps, row: SelectedRow) {
  if (row.sealed === null) return undefined;
  const credentials = openCredentials(secrets, row, row.sealed);
  if (!credentials) {
    throw new Error(
      'Stored credentials do not open: altered, moved, or sealed with a key that is not in the ring',
    );
  }
  const { generation, instanceUrl, status, oauthClientId } = row;
  const isRefused = status === 'reauthorize';
  const stored: StoredCredentials = {
    credentials,
    generation,
    instanceUrl,
    isRefused,
    oauthClientId,
  };
  return { ...row, stored };
}

const READ = {
  name: 'read_credentials',
  text: `
select connection.id as "connectionId", connection.application_id as "applicationId",
  connection.customer_id as "customerId", connection.provider_name as "providerName",
  connection.instance_url as "instanceUrl", connection.status, stored.sealed, stored.generation,
  stored.refresh_lease as lease, stored.oauth_client_id as "oauthClientId"
from crossbook.credentials as stored
join crossbook.connections as connection
  on connection.application_id = stored.application_id and connection.id = stored.connection_id
where stored.application_id = $1::uuid and stored.connection_id = $2::uuid`,
};

/**
 * Both statements lock the connection before its credentials, as an upsert does, to avoid deadlocks. Both compare the
 * generation of the locked row: one that an upsert has just replaced is left alone.
 */
const LOCK_CURRENT = `
with connection as (
  select id, status from crossbook.connections
  where application_id = $1::uuid and id = $2::uuid for no key update
), current as (
  select stored.connection_id, connection.status from crossbook.credentials as stored
  join connection on connection.id = stored.connection_id
  where stored.application_id = $1::uuid and stored.generation = $3::int and stored.sealed is not null for no key update of stored
)`;

/** Reads the locked connection row, so that its previous status and its sequence are current. */
const toEvent = (type: EventType) => `
  select gen_random_uuid() as id, customer_id, id as connection_id, '${type}' as type, event_sequence as sequence,
    ${CONNECTION_DATA} as data`;

const REPLACE = {
  name: 'replace_credentials',
  text: `${LOCK_CURRENT}, replaced as (
  update crossbook.credentials as stored
  set sealed = $4::text, key_id = $5::text, generation = stored.generation + 1, updated_at = $7::timestamptz
  from current where stored.application_id = $1::uuid and stored.connection_id = current.connection_id
  returning stored.connection_id, stored.generation, current.status
), linked as (
  update crossbook.connections as stored
  set instance_url = $6::text, status = 'connected',
    status_reason = case when stored.status = 'connected' then stored.status_reason end,
    status_changed_at = case when stored.status = 'connected' then stored.status_changed_at else $7::timestamptz end,
    event_sequence = stored.event_sequence + case when replaced.status = 'reauthorize' then 1 else 0 end
  from replaced where stored.application_id = $1::uuid and stored.id = replaced.connection_id
  returning stored.*, replaced.status as status_before
), ${recordEvents(
    `${toEvent('connection.recovered')} from linked where status_before = 'reauthorize'`,
    '$7::timestamptz',
  )}
select generation from replaced`,
};

const MARK_REFUSED = {
  name: 'mark_credentials_refused',
  text: `${LOCK_CURRENT}, refused as (
  update crossbook.connections as stored
  set status = 'reauthorize', status_reason = $4::text, status_changed_at = $5::timestamptz,
    refused_at = $5::timestamptz,
    event_sequence = stored.event_sequence + case when current.status = 'reauthorize' then 0 else 1 end
  from current where stored.application_id = $1::uuid and stored.id = current.connection_id
    and (stored.status, stored.status_reason) is distinct from ('reauthorize', $4::text)
  returning stored.*, current.status as status_before
), forgotten as (
  delete from crossbook.contact_cache
  where application_id = $1::uuid and connection_id in (select id from refused)
), ${recordEvents(
    `${toEvent('connection.reauthorize')} from refused where status_before <> 'reauthorize'`,
    '$5::timestamptz',
  )}
select customer_id as "customerId" from refused`,
};

const MARK_TRIED = {
  name: 'mark_credentials_tried',
  text: `
update crossbook.connections set status_reason = null, status_changed_at = $4::timestamptz
where application_id = $1::uuid and id = $2::uuid and status_reason = 'not_tried'
  and credentials_version = $3::int`,
};

export function sealCredentials(
  secrets: SealedColumns,
  { applicationId, customerId, providerName }: CredentialKey,
  credentials: Credentials,
): SealedText & { readonly expiresAt: Date | null } {
  const text = JSON.stringify(credentials);
  const expiry = readFinalExpiry(credentials);
  return {
    ...secrets.credentials.seal(text, applicationId, customerId, providerName),
    expiresAt: expiry > 0 && expiry < LAST_MOMENT ? new Date(expiry) : null,
  };
}

/** PostgreSQL does not read the years before 1 and after 9999 of JavaScript's format. */
const LAST_MOMENT = Date.UTC(9999, 11, 31);

/** Undefined if they were tampered with or moved, or their key is not in the ring. */
export function openCredentials(
  secrets: SealedColumns,
  { applicationId, customerId, providerName }: CredentialKey,
  text: string,
): Credentials | undefined {
  const opened = secrets.credentials.open(text, applicationId, customerId, providerName);
  return opened === undefined ? undefined : JSON.parse(opened);
}

/**
 * Runs the work under a lease, which one process at a time can hold. The lease is stored beside the credentials, and
 * holds no lock or connection. Undefined if another process has done the work meanwhile. The lease of a crashed
 * process is taken over when it has expired by the database's clock, or after it was observed for its duration,
 * because clocks may step.
 */
export async function underRefreshLease<Result>(
  { engine, leaseMs, applicationId, connectionId, find }: LeaseOptions,
  work: (found: Found) => Promise<Result>,
): Promise<Result | undefined> {
  const lease = randomUUID();
  const giveUpAt = systemClock.now() + 2 * leaseMs;
  let watched: { readonly lease: string | null; readonly since: number } | undefined;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    const found = await find();
    if (!found) return undefined;
    const now = systemClock.now();
    if (watched?.lease !== found.lease) watched = { lease: found.lease, since: now };
    const expired = now - watched.since >= leaseMs ? found.lease : null;
    const place = [applicationId, connectionId];
    const values = [...place, found.generation, lease, leaseMs, expired];
    const taken = await engine.query(TAKE_LEASE, values);
    if (taken.length > 0) {
      try {
        return await work(found);
      } finally {
        // Releases the lease, so that others need not wait for its expiry. If the database is unavailable it expires.
        await engine.query(RELEASE_LEASE, [...place, lease]).catch(() => undefined);
      }
    }
    if (now > giveUpAt) {
      throw new CrossbookError(
        'REMOTE_PROVIDER_TIMEOUT',
        'Another process is refreshing the access token, and did not finish in time.',
        { retryAfterMs: 1_000 },
      );
    }
    await wait(pause * (0.5 + Math.random() / 2));
  }
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Takes the lease for refreshing one generation. It holds neither a lock nor a connection. It is valid until it
 * expires by the database's clock, or until this process has observed it for that long ($6).
 */
const TAKE_LEASE = {
  name: 'take_refresh_lease',
  text: `
update crossbook.credentials
set refresh_lease = $4::uuid, refreshing_generation = generation,
  refreshing_until = clock_timestamp() + $5::int * interval '1 millisecond'
where application_id = $1::uuid and connection_id = $2::uuid and generation = $3::int and sealed is not null
  and (refresh_lease is null or refresh_lease = $4::uuid or refreshing_generation is distinct from generation
    or refreshing_until <= clock_timestamp() or refresh_lease = $6::uuid)
returning refresh_lease`,
};

const RELEASE_LEASE = {
  name: 'release_refresh_lease',
  isOnce: true,
  text: `
update crossbook.credentials set refresh_lease = null
where application_id = $1::uuid and connection_id = $2::uuid and refresh_lease = $3::uuid`,
};

interface SelectedRow
  extends CredentialKey,
    Pick<StoredCredentials, 'generation' | 'instanceUrl' | 'oauthClientId'> {
  readonly connectionId: string;
  readonly status: ConnectionStatus;
  readonly sealed: string | null;
  readonly lease: string | null;
}

type Found = NonNullable<ReturnType<typeof toFound>>;

interface LeaseOptions extends Pick<StoreDeps, 'engine'> {
  /** The duration of the refresh lease: longer than all calls of a refresh and the write of its result take. */
  readonly leaseMs: number;
  readonly applicationId: string;
  readonly connectionId: string;
  /** Undefined if nothing has to be refreshed any more. */
  find(): Promise<Found | undefined>;
}

export interface CredentialKey extends CustomerKey {
  readonly providerName: ProviderName;
}
