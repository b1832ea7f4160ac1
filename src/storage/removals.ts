import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm';
import { CrossbookError } from '../domain/errors.ts';
import type { NewEvent } from '../domain/event.ts';
import type { RemovalStore, RemovedConnection } from '../domain/tenant.ts';
import type { Clock } from '../lib/clock.ts';
import { isStorable } from '../lib/text.ts';
import type { Transaction } from './complete-connect-link.ts';
import { type ConnectionRow, toConnection } from './connections.ts';
import { tryOpenCredentials } from './credentials.ts';
import type { Engine } from './engine/open.ts';
import { appendEvents } from './events.ts';
import { connections, credentials, customers } from './schema.ts';
import type { Sealer } from './sealing/seal.ts';

/**
 * Each removal is one transaction that locks the customer first, its connections next and their credentials last, as an
 * upsert and a refresh do. What is read under the locks is what was stored last: a token that a refresh has just brought
 * is the one that is handed out for its revocation, and no rival can add anything in between. Everything else of theirs
 * goes with the rows that it refers to.
 */
export function createRemovals(deps: RemovalDeps): (applicationId: string) => RemovalStore {
  const { engine, clock, onAppended } = deps;
  return (applicationId) => ({
    removeCustomer: async (customerId, expectedVersion) => {
      if (!isStorable(customerId)) return undefined;
      const removed = await inTransaction(engine, async (tx) => {
        const version = await lockCustomer(tx, { applicationId, customerId });
        if (version === undefined) return undefined;
        if (expectedVersion !== undefined && version !== expectedVersion) {
          throw new CrossbookError(
            'CONFLICT',
            `Version ${expectedVersion} was expected, but the customer has version ${version}.`,
          );
        }
        const rows = await lockConnections(tx, all({ applicationId, customerId }));
        const removed = await removeCredentials(deps, tx, rows);
        await appendEvents(tx, {
          applicationId,
          at: new Date(clock.wall()),
          events: [
            ...rows.map(toDisconnected),
            { type: 'customer.deleted', customerId, connectionId: null, data: { version } },
          ],
        });
        await tx.delete(customers).where(own({ applicationId, customerId }));
        return removed;
      });
      if (removed) onAppended();
      return removed;
    },

    removeConnection: async (customerId, providerName) => {
      if (!isStorable(customerId)) return undefined;
      const removed = await inTransaction(engine, async (tx) => {
        if ((await lockCustomer(tx, { applicationId, customerId })) === undefined) return undefined;
        const which = and(all({ applicationId, customerId }), eq(connections.providerName, providerName));
        const rows = await lockConnections(tx, which);
        const [removed] = await removeCredentials(deps, tx, rows);
        if (!removed) return undefined;
        await appendEvents(tx, {
          applicationId,
          at: new Date(clock.wall()),
          events: rows.map(toDisconnected),
        });
        await tx.delete(connections).where(which);
        // Whoever has seen the customer with this connection has not seen what it is now.
        await tx
          .update(customers)
          .set({ version: sql`${customers.version} + 1` })
          .where(own({ applicationId, customerId }));
        return removed;
      });
      if (removed) onAppended();
      return removed;
    },
  });
}

async function lockCustomer(tx: Transaction, owner: Owner): Promise<number | undefined> {
  const [row] = await tx
    .select({ version: customers.version })
    .from(customers)
    .where(own(owner))
    .for('update');
  return row?.version;
}

function lockConnections(tx: Transaction, which: SQL | undefined): Promise<ConnectionRow[]> {
  return tx.select().from(connections).where(which).orderBy(connections.id).for('update');
}

async function removeCredentials(
  { sealer }: Pick<RemovalDeps, 'sealer'>,
  tx: Transaction,
  rows: readonly ConnectionRow[],
): Promise<readonly RemovedConnection[]> {
  const removed: RemovedConnection[] = [];
  for (const row of rows) {
    const [kept] = await tx.delete(credentials).where(eq(credentials.connectionId, row.id)).returning();
    removed.push({ connection: toConnection(row), grant: kept && (await toGrant(sealer, tx, row, kept)) });
  }
  return removed;
}

/** Only what a link has brought is ours to revoke. */
async function toGrant(
  sealer: Sealer,
  tx: Transaction,
  row: ConnectionRow,
  { sealed, oauthClientId }: typeof credentials.$inferSelect,
): Promise<RemovedConnection['grant']> {
  if (sealed === null || oauthClientId === null) return undefined;
  // Where its key is gone from the ring, what is left to do is to forget it.
  const opened = tryOpenCredentials(sealer, row, sealed);
  if (opened?.type !== 'oauth2' || opened.refreshToken === null) return undefined;
  const { refreshToken } = opened;
  const { instanceUrl } = row;
  const isShared = await isGrantShared(tx, { ...row, oauthClientId });
  return { oauthClientId, instanceUrl, refreshToken, isShared };
}

function toDisconnected({ id, customerId, providerName }: ConnectionRow): NewEvent {
  return {
    type: 'connection.disconnected',
    customerId,
    connectionId: id,
    data: { provider_name: providerName, status: 'unauthorized', status_reason: 'credentials_cleared' },
  };
}

function inTransaction<T>(engine: Engine, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return engine.once(() => engine.orm.transaction(work));
}

function own({ applicationId, customerId }: Owner) {
  return and(eq(customers.applicationId, applicationId), eq(customers.customerId, customerId));
}

function all({ applicationId, customerId }: Owner) {
  return and(eq(connections.applicationId, applicationId), eq(connections.customerId, customerId));
}

/**
 * Does another connection of the installation live on the same grant: same provider, account, user and OAuth client? Asked
 * when the credentials of the one in question are gone already. Removals of the same grant come here one after the other, else each of two
 * would leave it to the other. Where the account is unknown, nobody can say that it is not shared.
 */
async function isGrantShared(tx: Transaction, grant: SharedGrant): Promise<boolean> {
  const { providerName, accountId, accountUserId, oauthClientId } = grant;
  if (accountId === null) return true;
  const name = JSON.stringify(['grant', providerName, accountId, accountUserId, oauthClientId]);
  // It ends with the transaction, so that it may be taken behind a pooler.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  const others = await tx
    .select({ id: connections.id })
    .from(connections)
    .innerJoin(credentials, eq(credentials.connectionId, connections.id))
    .where(
      and(
        eq(connections.providerName, providerName),
        eq(connections.accountId, accountId),
        sql`${connections.accountUserId} is not distinct from ${accountUserId}`,
        eq(credentials.oauthClientId, oauthClientId),
        isNotNull(credentials.sealed),
      ),
    )
    .limit(1);
  return others.length > 0;
}

interface Owner {
  readonly applicationId: string;
  readonly customerId: string;
}

interface RemovalDeps {
  readonly engine: Engine;
  /** Of credentials. */
  readonly sealer: Sealer;
  readonly clock: Pick<Clock, 'wall'>;
  /** Events were appended. */
  onAppended(): void;
}

interface SharedGrant
  extends Pick<typeof connections.$inferSelect, 'providerName' | 'accountId' | 'accountUserId'> {
  readonly oauthClientId: string;
}
