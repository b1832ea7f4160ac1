import { randomUUID } from 'node:crypto';
import { and, eq, exists, inArray, lt, lte, or, sql } from 'drizzle-orm';
import { type ConnectFailure, type ConnectLink, OPEN_STATUSES } from '../domain/connect-link.ts';
import type { ConnectedAccount } from '../domain/connection.ts';
import type { NewEvent } from '../domain/event.ts';
import type { Grant } from '../domain/oauth.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { uuidV5 } from '../lib/digest.ts';
import { connectLinks } from './connect-schema.ts';
import { sealCredentials } from './credentials.ts';
import { isConnectionOf } from './customers.ts';
import type { StoreDeps } from './database.ts';
import { appendEvents, inTransaction, type Transaction } from './events.ts';
import { connections, contactCache, credentials, customers } from './schema.ts';

/** Changes a link in one transaction. */
export function changeLink<T>(deps: StoreDeps, change: (work: Work) => Promise<T>): Promise<T> {
  return inTransaction(deps, (tx) => change({ tx, now: deps.now(), secrets: deps.secrets }));
}

/**
 * The customer's row comes first, as in an upsert and as in a deletion, so that none of them can deadlock. Undefined where
 * the link is gone: with its customer, perhaps at this very moment.
 */
export async function lockLink({ tx, now }: Work, linkId: string): Promise<ConnectLinkRow | undefined> {
  const isLink = eq(connectLinks.id, linkId);
  const link = tx.select({ id: connectLinks.id }).from(connectLinks).where(and(isLink, IS_CUSTOMER_OF_LINK));
  await tx.select({ id: customers.customerId }).from(customers).where(exists(link)).for('no key update');
  const [row] = await tx.select().from(connectLinks).where(isLink).for('update');
  return row && { ...row, ...toConnectLink(row, now) };
}

export const IS_CUSTOMER_OF_LINK = and(
  eq(customers.applicationId, connectLinks.applicationId),
  eq(customers.customerId, connectLinks.customerId),
);

/** Fails a link that reached another account than this customer's connection belongs to, unless the link allows that. */
export async function failOtherAccount(
  work: Work,
  row: ConnectLinkRow,
  { providerName, grant }: Granted,
): Promise<ConnectLink | undefined> {
  if (row.allowAccountChange) return undefined;
  const [existing] = await work.tx
    .select({ accountId: connections.accountId })
    .from(connections)
    .where(isConnectionOf(row, providerName))
    .for('no key update');
  const before = existing?.accountId ?? null;
  if (before === null || before === (grant.account?.id ?? null)) return undefined;
  return failLink(work, row, { status: 'FAILED', failure: 'ACCOUNT_MISMATCH', providerName });
}

/** The connection, its credentials and its account, the end of the link, and the event: all of it, or nothing. */
export async function completeLink(work: Work, row: ConnectLinkRow, granted: Granted): Promise<ConnectLink> {
  const failed = await failOtherAccount(work, row, granted);
  if (failed) return failed;
  const { applicationId } = row;
  const { providerName, grant } = granted;
  const connectionId = await writeConnection(work, row, granted);
  await writeCredentials(work, row, { ...granted, connectionId });
  await work.tx
    .delete(contactCache)
    .where(and(eq(contactCache.applicationId, applicationId), eq(contactCache.connectionId, connectionId)));
  return endLink(
    work,
    row,
    { status: 'COMPLETED', providerName, connectionId },
    {
      type: 'connection.connected',
      customerId: row.customerId,
      connectionId,
      data: {
        ...{ provider_name: providerName, status: 'connected', status_reason: null },
        ...{ connect_link_id: row.id, account: toEventAccount(grant.account) },
      },
    },
  );
}

export function failLink(work: Work, row: ConnectLinkRow, end: LinkFailure): Promise<ConnectLink> {
  return endLink(work, row, end, {
    type: 'connect_link.failed',
    customerId: row.customerId,
    connectionId: null,
    data: { connect_link_id: row.id, provider_name: end.providerName, failure: end.failure },
  });
}

async function endLink(
  { tx, now }: Work,
  { id, applicationId }: ConnectLinkRow,
  end: Partial<ConnectLinkRow>,
  event: NewEvent,
): Promise<ConnectLink> {
  const [ended] = await tx
    .update(connectLinks)
    .set({ ...end, ...NO_GRANT, updatedAt: now })
    .where(eq(connectLinks.id, id))
    .returning();
  if (!ended) throw new Error('A link that was locked is gone.');
  await appendEvents(tx, { applicationId, at: now, events: [event] });
  return toConnectLink(ended, now);
}

/** A link that has ended keeps nothing of what was granted. */
export const NO_GRANT = { sealedGrant: null, keyId: null, codeHash: null, codeExpiresAt: null };

/** What a reconnect does not bring stays as it was: mappings, and the address of an instance that has none of its own. */
async function writeConnection({ tx, now }: Work, row: ConnectLinkRow, granted: Granted): Promise<string> {
  const { applicationId, customerId } = row;
  const { providerName, grant } = granted;
  const account = grant.account ?? { id: null, name: null, url: null, userId: null };
  const changed = {
    status: 'connected',
    ...{ accountId: account.id, accountName: account.name },
    ...{ accountUrl: account.url, accountUserId: account.userId },
    grantedScopes: grant.scopes,
    updatedAt: now,
  } as const;
  const [written] = await tx
    .insert(connections)
    .values({
      id: randomUUID(),
      ...{ applicationId, customerId, providerName },
      providerId: uuidV5(applicationId, providerName),
      instanceUrl: grant.instanceUrl,
      ...changed,
      statusChangedAt: now,
      createdAt: now,
    })
    .onConflictDoUpdate({
      target: [connections.applicationId, connections.customerId, connections.providerName],
      set: {
        ...changed,
        instanceUrl: sql`coalesce(excluded.instance_url, ${connections.instanceUrl})`,
        statusReason: null,
        statusChangedAt: sql`case when ${connections.status} = 'connected' then ${connections.statusChangedAt} else excluded.status_changed_at end`,
      },
    })
    .returning({ id: connections.id });
  if (!written) throw new Error('A connection that was written has no id.');
  return written.id;
}

async function writeCredentials(
  { tx, now, secrets }: Work,
  { applicationId, customerId }: ConnectLinkRow,
  { connectionId, providerName, grant, oauthClientId }: Granted & { readonly connectionId: string },
): Promise<void> {
  const { accessToken, refreshToken, expiresAt } = grant;
  const place = { applicationId, customerId, providerName };
  const tokens = { type: 'oauth2', accessToken, refreshToken, expiresAt } as const;
  const changed = { ...sealCredentials(secrets, place, tokens), oauthClientId, updatedAt: now };
  await tx
    .insert(credentials)
    .values({ connectionId, applicationId, generation: 1, ...changed })
    .onConflictDoUpdate({
      target: credentials.connectionId,
      set: { ...changed, generation: sql`${credentials.generation} + 1` },
    });
}

/** Who granted is a person: that stays here. */
function toEventAccount(account: ConnectedAccount | null) {
  return account && { id: account.id, name: account.name, url: account.url };
}

/** A link as it is at this moment: one whose time is up has ended, whether or not the sweep has come by. */
export function toConnectLink(row: ConnectLinkRow, now: Date): ConnectLink {
  const { updatedAt, sealedGrant, keyId, codeHash, codeExpiresAt, ...link } = row;
  if (isOpen(row) && row.expiresAt <= now) return { ...link, status: 'EXPIRED', failure: 'EXPIRED' };
  if (row.status === 'AWAITING_CONFIRMATION' && (codeExpiresAt ?? now) <= now) {
    return { ...link, status: 'FAILED', failure: 'NOT_CONFIRMED' };
  }
  return link;
}

export function isOpen({ status }: Pick<ConnectLinkRow, 'status'>): boolean {
  return status === 'PENDING' || status === 'STARTED';
}

/**
 * Ends the links whose time is up, each with its event, and removes those that ended days ago. Any number of processes may
 * do it at once: what one has locked, the others pass over.
 */
export function createConnectSweep(deps: StoreDeps) {
  return async () => {
    let ended = 0;
    // Where more has ended than fits into one transaction, others follow: what is left would only grow.
    for (let count = BATCH; count === BATCH; ended += count) count = await endOverdue(deps);
    return { ended, removed: await removeOld(deps) };
  };
}

function endOverdue(deps: StoreDeps): Promise<number> {
  return changeLink(deps, async (work) => {
    const { tx, now } = work;
    const isOver = or(
      and(inArray(connectLinks.status, OPEN_STATUSES), lte(connectLinks.expiresAt, now)),
      and(eq(connectLinks.status, 'AWAITING_CONFIRMATION'), lte(connectLinks.codeExpiresAt, now)),
    );
    const rows = await tx
      .select()
      .from(connectLinks)
      .where(isOver)
      .limit(BATCH)
      .for('update', { skipLocked: true });
    for (const row of rows) {
      const { status, failure, providerName } = toConnectLink(row, now);
      if (status === 'EXPIRED' || status === 'FAILED') {
        await failLink(work, row, { status, failure: failure ?? 'EXPIRED', providerName });
      }
    }
    return rows.length;
  });
}

async function removeOld({ engine, now }: StoreDeps): Promise<number> {
  const old = new Date(now().getTime() - ENDED_LINK_KEPT_MS);
  const { rowCount } = await engine.repeatable(() =>
    engine.orm
      .delete(connectLinks)
      .where(and(lt(connectLinks.updatedAt, old), lt(connectLinks.expiresAt, old))),
  );
  return rowCount ?? 0;
}

const BATCH = 200;
/** A week, for support to look at what became of a link. */
const ENDED_LINK_KEPT_MS = 7 * 24 * 60 * 60_000;

interface LinkFailure extends Pick<ConnectLinkRow, 'providerName'> {
  readonly status: 'FAILED' | 'EXPIRED';
  readonly failure: ConnectFailure;
}

interface Granted {
  readonly grant: Grant;
  readonly oauthClientId: string;
  readonly providerName: ProviderName;
}

/** One transaction. */
export interface Work extends Pick<StoreDeps, 'secrets'> {
  readonly tx: Transaction;
  readonly now: Date;
}

export type ConnectLinkRow = typeof connectLinks.$inferSelect;
