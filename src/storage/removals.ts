import { and, eq, sql } from 'drizzle-orm';
import type { NewEvent } from '../domain/event.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { SYNC_LEASE_MS } from '../domain/sync.ts';
import type { RemovalStore, RemovedConnection } from '../domain/tenant.ts';
import { isStorable } from '../lib/text.ts';
import { openCredentials } from './credentials.ts';
import {
  type ConnectionRow,
  type CustomerKey,
  isConnectionOf,
  isCustomer,
  toConnection,
} from './customer-rows.ts';
import { versionConflict } from './customers.ts';
import { appendEvents, inTransaction, type Transaction, toQuery } from './events.ts';
import { ADD_REMOVAL, FORGET_TABLES } from './row-removals.ts';
import { CONNECTION_COLUMNS, connections, credentials, customers } from './schema.ts';
import type { StoreDeps } from './store-deps.ts';
import { anonymizeUsage } from './usage.ts';

/**
 * Removes customers and connections. Each removal is one transaction that locks customer, connections and credentials
 * in this order, as upserts and refreshes do. Reading under the locks returns the latest refresh token for its
 * revocation, and excludes concurrent additions. Dependent rows are deleted by cascade.
 */
export function createRemovals(deps: StoreDeps, applicationId: string): RemovalStore {
  return {
    removeCustomer: (
      customerId,
      expectedVersion,
      { deleteSyncedRows } = { deleteSyncedRows: true },
    ) => remove(deps, { applicationId, customerId, expectedVersion, deleteSyncedRows }),
    removeConnection: async (customerId, providerName) =>
      (await remove(deps, { applicationId, customerId, providerName }))?.[0],
  };
}

/** Removes a customer with all connections, or one connection. Undefined if there is no such customer. */
async function remove(deps: StoreDeps, { applicationId, customerId, ...removal }: Removal) {
  const { expectedVersion, providerName, deleteSyncedRows } = removal;
  if (!isStorable(customerId)) return undefined;
  const isOwner = isCustomer({ applicationId, customerId });
  const isRemoved = isConnectionOf({ applicationId, customerId }, providerName);
  return inTransaction(deps, async (tx) => {
    const [customer] = await tx
      .select({ version: customers.version })
      .from(customers)
      .where(isOwner)
      .for('update');
    if (!customer) return undefined;
    const { version } = customer;
    if (expectedVersion !== undefined && version !== expectedVersion) {
      throw versionConflict(expectedVersion, customer);
    }
    const rows = await tx
      .select(CONNECTION_COLUMNS)
      .from(connections)
      .where(isRemoved)
      .orderBy(connections.id)
      .for('update');
    const removed: RemovedConnection[] = [];
    for (const row of rows) removed.push(await removeCredentials(deps, tx, row));
    const events: NewEvent[] = rows.map(toDisconnected);
    if (providerName === undefined) {
      events.push({ type: 'customer.deleted', customerId, connectionId: null, data: { version } });
    }
    await appendEvents(tx, { applicationId, at: deps.now(), events });
    if (providerName === undefined) {
      await anonymizeUsage(tx, { applicationId, customerId });
      await tx.delete(customers).where(isOwner);
      if (deleteSyncedRows) {
        const at = deps.now();
        const first = new Date(at.getTime() + SYNC_ENDS_MS);
        const values = [applicationId, customerId, at.toISOString(), first.toISOString()];
        await tx.execute(toQuery(ADD_REMOVAL, values));
      } else {
        await tx.execute(toQuery(FORGET_TABLES, [applicationId, customerId]));
      }
    } else if (rows.length > 0) {
      await tx.delete(connections).where(isRemoved);
      // Increments the version, because clients that read the customer with this connection have a stale state.
      const changed = { version: sql`${customers.version} + 1` };
      await tx.update(customers).set(changed).where(isOwner);
    }
    return removed;
  });
}

/** Only grants that came by a connect link are ours to revoke. */
async function removeCredentials(
  { secrets }: StoreDeps,
  tx: Transaction,
  row: ConnectionRow,
): Promise<RemovedConnection> {
  const connection = toConnection(row);
  const [stored] = await tx
    .delete(credentials)
    .where(
      and(eq(credentials.applicationId, row.applicationId), eq(credentials.connectionId, row.id)),
    )
    .returning();
  const { sealed = null, oauthClientId = null } = stored ?? {};
  // Without its key the grant cannot be revoked, only deleted.
  const opened = sealed === null ? undefined : openCredentials(secrets, row, sealed);
  if (oauthClientId === null || opened?.type !== 'oauth2' || opened.refreshToken === null) {
    return { connection, grant: undefined };
  }
  const { refreshToken } = opened;
  const isShared = await isGrantShared(tx, { ...row, oauthClientId });
  return {
    connection,
    grant: { oauthClientId, instanceUrl: row.instanceUrl, refreshToken, isShared },
  };
}

function toDisconnected({ id, customerId, providerName }: ConnectionRow): NewEvent {
  return {
    type: 'connection.disconnected',
    customerId,
    connectionId: id,
    data: {
      provider_name: providerName,
      status: 'unauthorized',
      status_reason: 'credentials_cleared',
    },
  };
}

/**
 * Whether another connection uses the same grant: same provider, account, user and OAuth client. Runs after the own
 * credentials are deleted. Concurrent removals of one grant are serialized, or each would leave the revocation to the
 * other. An unknown account counts as shared.
 */
async function isGrantShared(tx: Transaction, grant: SharedGrant): Promise<boolean> {
  const { providerName, accountId, accountUserId, oauthClientId } = grant;
  if (accountId === null) return true;
  const name = JSON.stringify(['grant', providerName, accountId, accountUserId, oauthClientId]);
  // A transaction-level lock, which also works behind a pooler.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  const others = await tx.execute(sql`
    select 1 from ${connections} join ${credentials}
      on ${credentials.applicationId} = ${connections.applicationId} and ${credentials.connectionId} = ${connections.id}
    where ${connections.providerName} = ${providerName} and ${connections.accountId} = ${accountId}
      and ${connections.accountUserId} is not distinct from ${accountUserId}
      and ${credentials.oauthClientId} = ${oauthClientId} and ${credentials.sealed} is not null
    limit 1`);
  return others.rows.length > 0;
}

/** A process that is writing rows of the customer has lost its lease by then. */
const SYNC_ENDS_MS = SYNC_LEASE_MS + 5_000;

interface Removal extends CustomerKey {
  readonly expectedVersion?: number | undefined;
  readonly deleteSyncedRows?: boolean;
  /** Absent: the whole customer. */
  readonly providerName?: ProviderName;
}

interface SharedGrant extends Pick<ConnectionRow, 'providerName' | 'accountId' | 'accountUserId'> {
  readonly oauthClientId: string;
}
