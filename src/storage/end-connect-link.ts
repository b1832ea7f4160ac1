import { randomUUID } from 'node:crypto';
import { and, eq, inArray, lte, or, sql } from 'drizzle-orm';
import type { ConnectFailure } from '../domain/connect-failure.ts';
import {
  type ConnectLink,
  type FieldChoice,
  type FinishedFlow,
  OPEN_STATUSES,
} from '../domain/connect-link.ts';
import type { GivenFieldMapping } from '../domain/custom-field.ts';
import type { NewEvent } from '../domain/event.ts';

import {
  type AllowedRecords,
  includesAllowed,
  toAllowedRecords,
  uniteAllowed,
} from '../domain/record-access.ts';
import type { RecordType } from '../domain/records/record-type.ts';
import { mapRecords } from '../domain/records/record-type.ts';

import type { CustomerScope } from '../domain/sync.ts';
import { uuidV5 } from '../lib/digest.ts';
import { connectLinks } from './connect-schema.ts';
import { sealCredentials } from './credentials.ts';
import { isConnectionOf, isCustomer } from './customer-rows.ts';
import { appendEvents, inTransaction, type Transaction } from './events.ts';
import { connections, contactCache, credentials, customers } from './schema.ts';
import type { StoreDeps } from './store-deps.ts';
import { inBatches } from './sweeps.ts';

export const isLink = ({ applicationId, id }: Pick<ConnectLinkRow, 'applicationId' | 'id'>) =>
  and(eq(connectLinks.applicationId, applicationId), eq(connectLinks.id, id));

/** Changes a link in a transaction. */
export async function changeLink<T>(
  deps: StoreDeps,
  change: (work: Work) => Promise<T>,
): Promise<T> {
  const connected: CustomerScope[] = [];
  const result = await inTransaction(deps, (tx) =>
    change({ tx, now: deps.now(), secrets: deps.secrets, connected }),
  );
  for (const customer of connected) deps.onUnplanned(customer);
  return result;
}

/**
 * Locks the customer's row first, as upserts and deletions do, to avoid deadlocks. Undefined if the link was
 * deleted, perhaps concurrently with its customer.
 */
export async function lockLink(
  { tx, now }: Work,
  linkId: string,
): Promise<ConnectLinkRow | undefined> {
  const hasId = eq(connectLinks.id, linkId);
  const link = sql`select from ${connectLinks} where ${hasId} and ${isCustomer(connectLinks)}`;
  await tx.execute(sql`select from ${customers} where exists (${link}) for no key update`);
  const [row] = await tx.select().from(connectLinks).where(hasId).for('update');
  return row && { ...row, ...toConnectLink(row, now) };
}

/**
 * What the connection allows after a grant: what the link asks for, and what it has allowed for this account before. The
 * link fails if the grant is for another account, unless the link allows that, or if the connection has meanwhile been
 * allowed more than this customer was asked for: its new credentials would not suffice for that.
 */
export async function checkGrant(
  work: Work,
  row: ConnectLinkRow,
  { providerName, grant, requested }: Granted,
): Promise<{ readonly allowed: AllowedRecords } | { readonly failed: ConnectLink }> {
  const linkAccess = toAllowedRecords(row);
  const [existing] = await work.tx
    .select({
      accountId: connections.accountId,
      readableRecords: connections.readableRecords,
      writableRecords: connections.writableRecords,
    })
    .from(connections)
    .where(isConnectionOf(row, providerName))
    .for('no key update');
  const before = existing?.accountId ?? null;
  const isOtherAccount = before !== null && before !== (grant.account?.id ?? null);
  if (isOtherAccount && row.allowAccountChange) return { allowed: linkAccess };
  const allowed = uniteAllowed(linkAccess, existing);
  const isSufficient = includesAllowed(requested, allowed);
  if (!isOtherAccount && isSufficient) return { allowed };
  const failure = isOtherAccount ? 'ACCOUNT_MISMATCH' : 'MISSING_SCOPES';
  return { failed: await failLink(work, row, { status: 'FAILED', failure, providerName }) };
}

/**
 * Completes a link in one transaction: writes the connection, its credentials and account, ends the link, and appends
 * the event.
 */
export async function completeLink(
  work: Work,
  row: ConnectLinkRow,
  granted: Granted,
): Promise<ConnectLink> {
  const checked = await checkGrant(work, row, granted);
  if ('failed' in checked) return checked.failed;
  const { providerName, grant } = granted;
  const connectionId = await writeConnection(work, row, { ...granted, ...checked });
  await writeCredentials(work, row, { ...granted, connectionId });
  await work.tx.delete(contactCache).where(isCachedOf(row, connectionId));
  if (row.fieldChoices) await writeChoices(work, row, { connectionId, choices: row.fieldChoices });
  return endLink(
    work,
    row,
    { status: 'COMPLETED', providerName, connectionId },
    {
      type: 'connection.connected',
      customerId: row.customerId,
      connectionId,
      data: {
        provider_name: providerName,
        status: 'connected',
        status_reason: 'not_tried',
        connect_link_id: row.id,
        // Events omit the user who granted, which is personal data.
        account: grant.account && {
          id: grant.account.id,
          name: grant.account.name,
          url: grant.account.url,
        },
        readable_records: checked.allowed.readableRecords.map(toLowerCase),
        writable_records: checked.allowed.writableRecords.map(toLowerCase),
      },
    },
  );
}

function toLowerCase(type: RecordType): Lowercase<RecordType> {
  return type.toLowerCase() as Lowercase<RecordType>;
}

/** A link that only maps fields fails without an event: its connection is unaffected. */
export function failLink(work: Work, row: ConnectLinkRow, end: LinkFailure): Promise<ConnectLink> {
  if (row.purpose === 'MAP_FIELDS') return endLink(work, row, end);
  return endLink(work, row, end, {
    type: 'connect_link.failed',
    customerId: row.customerId,
    connectionId: null,
    data: {
      connect_link_id: row.id,
      provider_name: end.providerName,
      failure: end.failure.toLowerCase() as Lowercase<ConnectFailure>,
    },
  });
}

export async function endLink(
  { tx, now }: Work,
  link: Pick<ConnectLinkRow, 'id' | 'applicationId'>,
  end: Partial<ConnectLinkRow>,
  event?: NewEvent,
): Promise<ConnectLink> {
  const [ended] = await tx
    .update(connectLinks)
    .set({ ...end, ...NO_GRANT, updatedAt: now })
    .where(isLink(link))
    .returning();
  if (!ended) throw new Error('A link that was locked is gone.');
  const { applicationId } = link;
  if (event) await appendEvents(tx, { applicationId, at: now, events: [event] });
  return toConnectLink(ended, now);
}

/** An ended link keeps no part of its grant. */
export const NO_GRANT = {
  sealedGrant: null,
  keyId: null,
  codeHash: null,
  codeExpiresAt: null,
  sessionHash: null,
  sessionExpiresAt: null,
  fieldChoices: null,
};

/**
 * Changes the mappings of the fields that a customer has chosen; the connection's other mappings stay. False if the
 * connection was removed.
 */
export async function writeChoices(
  { tx, now }: Work,
  row: Pick<ConnectLinkRow, 'applicationId'>,
  { connectionId, choices }: { connectionId: string; choices: readonly FieldChoice[] },
): Promise<boolean> {
  const isConnection = and(
    eq(connections.applicationId, row.applicationId),
    eq(connections.id, connectionId),
  );
  const { contactFieldMappings, recordFieldMappings } = connections;
  const [stored] = await tx
    .select({ contactFieldMappings, recordFieldMappings })
    .from(connections)
    .where(isConnection)
    .for('no key update');
  if (!stored) return false;
  const before = { CONTACT: stored.contactFieldMappings, ...stored.recordFieldMappings };
  const { CONTACT, ...others } = mapRecords((record) =>
    choose(
      before[record] ?? [],
      choices.filter((choice) => toRecordOf(choice) === record),
    ),
  );
  const chosen = {
    contactFieldMappings: CONTACT.length > 0 ? CONTACT : null,
    recordFieldMappings: Object.values(others).some(({ length }) => length > 0) ? others : null,
    updatedAt: now,
  };
  await tx.update(connections).set(chosen).where(isConnection);
  await tx.delete(contactCache).where(isCachedOf(row, connectionId));
  return true;
}

function choose(
  mappings: readonly GivenFieldMapping[],
  choices: readonly FieldChoice[],
): readonly GivenFieldMapping[] {
  const chosen = new Set(choices.map(({ field }) => field));
  return [
    ...mappings.filter(({ field }) => !chosen.has(field)),
    ...choices.flatMap(({ field, source }) => (source === null ? [] : [{ field, source }])),
  ];
}

/** A choice that the previous version has stored is one of contacts, and does not say so. */
function toRecordOf({ record }: Partial<FieldChoice>): RecordType {
  return record ?? 'CONTACT';
}

function isCachedOf(
  { applicationId }: Pick<ConnectLinkRow, 'applicationId'>,
  connectionId: string,
) {
  return and(
    eq(contactCache.applicationId, applicationId),
    eq(contactCache.connectionId, connectionId),
  );
}

/** A reconnection keeps what it does not set: mappings, and the instance URL where the grant has none. */
async function writeConnection(
  { tx, now, connected }: Work,
  row: ConnectLinkRow,
  { providerName, grant, allowed }: Granted & { readonly allowed: AllowedRecords },
): Promise<string> {
  const { applicationId, customerId } = row;
  const account = grant.account ?? { id: null, name: null, url: null, userId: null };
  const changed = {
    status: 'connected',
    statusReason: 'not_tried',
    accountId: account.id,
    accountName: account.name,
    accountUrl: account.url,
    accountUserId: account.userId,
    grantedScopes: grant.scopes,
    ...allowed,
    updatedAt: now,
  } as const;
  const [written] = await tx
    .insert(connections)
    .values({
      id: randomUUID(),
      applicationId,
      customerId,
      providerName,
      providerId: uuidV5(applicationId, providerName),
      instanceUrl: grant.instanceUrl,
      ...changed,
      credentialsVersion: 1,
      statusChangedAt: now,
      createdAt: now,
    })
    .onConflictDoUpdate({
      target: [connections.applicationId, connections.customerId, connections.providerName],
      set: {
        ...changed,
        credentialsVersion: sql`${connections.credentialsVersion} + 1`,
        instanceUrl: sql`coalesce(excluded.instance_url, ${connections.instanceUrl})`,
        statusChangedAt: sql`case when ${connections.statusReason} = 'not_tried' then ${connections.statusChangedAt} else excluded.status_changed_at end`,
      },
    })
    .returning({ id: connections.id });
  if (!written) throw new Error('A connection that was written has no id.');
  connected.push({ applicationId, customerId });
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
      target: [credentials.applicationId, credentials.connectionId],
      set: { ...changed, generation: sql`${credentials.generation} + 1` },
    });
}

/** A link in its current state: an expired one has ended, whether or not the sweep has run. */
export function toConnectLink(row: ConnectLinkRow, now: Date): ConnectLink {
  const {
    updatedAt,
    sealedGrant,
    keyId,
    codeHash,
    codeExpiresAt,
    sessionHash,
    sessionExpiresAt,
    fieldChoices,
    ...link
  } = row;
  if (isOpen(row) && row.expiresAt <= now)
    return { ...link, status: 'EXPIRED', failure: 'EXPIRED' };
  if (row.status === 'AWAITING_CONFIRMATION' && (codeExpiresAt ?? now) <= now) {
    return { ...link, status: 'FAILED', failure: 'NOT_CONFIRMED' };
  }
  return link;
}

export function isOpen({ status }: Pick<ConnectLinkRow, 'status'>): boolean {
  return status === 'PENDING' || status === 'STARTED';
}

/** Ends expired links, each with its event, and deletes those that ended days ago. */
export function createConnectSweep(deps: StoreDeps) {
  return async function* () {
    yield* inBatches(BATCH, () => endOverdue(deps));
    yield* inBatches(BATCH, () => removeOld(deps));
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
  const [removed] = await engine.query<{ count: number }>(REMOVE_OLD_LINKS, [old, BATCH]);
  return removed?.count ?? 0;
}

const REMOVE_OLD_LINKS = {
  name: 'remove_old_connect_links',
  text: `
with removed as (
  delete from crossbook.connect_links where (application_id, id) in (
    select application_id, id from crossbook.connect_links
    where updated_at < $1::timestamptz and expires_at < $1::timestamptz limit $2::int
  ) returning id
)
select count(*)::integer as count from removed`,
};

const BATCH = 200;
/** A week, so that support can inspect ended links. */
const ENDED_LINK_KEPT_MS = 7 * 24 * 60 * 60_000;

interface LinkFailure extends Pick<ConnectLinkRow, 'providerName'> {
  readonly status: 'FAILED' | 'EXPIRED';
  readonly failure: ConnectFailure;
}

type Granted = Omit<FinishedFlow, 'codeHash' | 'sessionHash'>;

/** The state of one transaction. */
export interface Work extends Pick<StoreDeps, 'secrets'> {
  readonly tx: Transaction;
  readonly now: Date;
  /** Customers with a connection that was written. */
  readonly connected: CustomerScope[];
}

export type ConnectLinkRow = typeof connectLinks.$inferSelect;
