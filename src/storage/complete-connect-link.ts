import { randomUUID } from 'node:crypto';
import { and, eq, sql } from 'drizzle-orm';
import type { ConnectFailure, ConnectLink } from '../domain/connect-link.ts';
import type { ConnectedAccount } from '../domain/connection.ts';
import type { NewEvent } from '../domain/event.ts';
import type { Grant } from '../domain/oauth.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { uuidV5 } from '../lib/digest.ts';
import { connectLinks } from './connect-schema.ts';
import { sealCredentials } from './credentials.ts';
import type { Engine } from './engine/open.ts';
import { connections, contactCache, credentials, customers } from './schema.ts';
import { createSealedTable, type SealedTable } from './sealed-table.ts';
import { type SealedText, type Sealer, sealWithKeyId } from './sealing/seal.ts';

/**
 * The customer's row comes first, as in an upsert and as in a deletion, so that none of them can deadlock. Undefined where
 * the link is gone: with its customer, perhaps at this very moment.
 */
export async function lockLink({ tx, now }: Work, linkId: string): Promise<ConnectLinkRow | undefined> {
  const [owner] = await tx
    .select({ applicationId: connectLinks.applicationId, customerId: connectLinks.customerId })
    .from(connectLinks)
    .where(eq(connectLinks.id, linkId));
  if (!owner) return undefined;
  const { applicationId, customerId } = owner;
  await tx
    .select({ id: customers.customerId })
    .from(customers)
    .where(and(eq(customers.applicationId, applicationId), eq(customers.customerId, customerId)))
    .for('no key update');
  const [row] = await tx.select().from(connectLinks).where(eq(connectLinks.id, linkId)).for('update');
  return row && { ...row, ...pickEnd(toConnectLink(row, now)) };
}

/** Is it another account than the one that this customer's connection belongs to, where the link does not allow that? */
export async function isOtherAccount(work: Work, row: ConnectLinkRow, place: Granted): Promise<boolean> {
  if (row.allowAccountChange) return false;
  const existing = await lockConnection(work, row, place.providerName);
  const before = existing?.accountId ?? null;
  return before !== null && before !== (place.grant.account?.id ?? null);
}

/** The connection, its credentials and its account, the end of the link, and the event: all of it, or nothing. */
export async function completeLink(work: Work, row: ConnectLinkRow, granted: Granted): Promise<ConnectLink> {
  const { tx, now } = work;
  const { providerName, grant } = granted;
  const connectionId = await writeConnection(work, row, granted);
  await writeCredentials(work, row, { ...granted, connectionId });
  await tx
    .delete(contactCache)
    .where(
      and(eq(contactCache.applicationId, row.applicationId), eq(contactCache.connectionId, connectionId)),
    );
  const ended = await endLink(work, row.id, { status: 'COMPLETED', providerName, connectionId });
  await work.appendEvent(row.applicationId, {
    type: 'connection.connected',
    customerId: row.customerId,
    connectionId,
    data: {
      ...{ provider_name: providerName, status: 'connected', status_reason: null },
      ...{ connect_link_id: row.id, account: toEventAccount(grant.account) },
    },
  });
  return toConnectLink(ended, now);
}

export async function failLink(
  work: Work,
  row: Pick<ConnectLinkRow, 'id' | 'applicationId' | 'customerId'>,
  end: LinkFailure,
): Promise<ConnectLink> {
  const ended = await endLink(work, row.id, end);
  await work.appendEvent(row.applicationId, {
    type: 'connect_link.failed',
    customerId: row.customerId,
    connectionId: null,
    data: { connect_link_id: row.id, provider_name: end.providerName, failure: end.failure },
  });
  return toConnectLink(ended, work.now);
}

async function endLink(
  { tx, now }: Work,
  linkId: string,
  end: Partial<ConnectLinkRow>,
): Promise<ConnectLinkRow> {
  const [ended] = await tx
    .update(connectLinks)
    .set({ ...end, sealedGrant: null, keyId: null, codeHash: null, codeExpiresAt: null, updatedAt: now })
    .where(eq(connectLinks.id, linkId))
    .returning();
  if (!ended) throw new Error('A link that was locked is gone.');
  return ended;
}

async function lockConnection({ tx }: Work, row: ConnectLinkRow, providerName: ProviderName) {
  const [existing] = await tx
    .select({ id: connections.id, accountId: connections.accountId })
    .from(connections)
    .where(
      and(
        eq(connections.applicationId, row.applicationId),
        eq(connections.customerId, row.customerId),
        eq(connections.providerName, providerName),
      ),
    )
    .for('no key update');
  return existing;
}

/** What a reconnect does not bring stays as it was: mappings, and the address of an instance that has none of its own. */
async function writeConnection({ tx, now }: Work, row: ConnectLinkRow, granted: Granted): Promise<string> {
  const { applicationId, customerId } = row;
  const { providerName, grant } = granted;
  const account = {
    accountId: grant.account?.id ?? null,
    accountName: grant.account?.name ?? null,
    accountUrl: grant.account?.url ?? null,
    accountUserId: grant.account?.userId ?? null,
    grantedScopes: [...grant.scopes],
  };
  const [written] = await tx
    .insert(connections)
    .values({
      id: randomUUID(),
      ...{ applicationId, customerId, providerName },
      providerId: uuidV5(applicationId, providerName),
      instanceUrl: grant.instanceUrl,
      status: 'connected',
      ...account,
      statusChangedAt: now,
      createdAt: now,
      updatedAt: now,
    })
    .onConflictDoUpdate({
      target: [connections.applicationId, connections.customerId, connections.providerName],
      set: {
        instanceUrl: sql`coalesce(excluded.instance_url, ${connections.instanceUrl})`,
        status: 'connected',
        statusReason: null,
        statusChangedAt: sql`case when ${connections.status} = 'connected' then ${connections.statusChangedAt} else excluded.status_changed_at end`,
        ...account,
        updatedAt: now,
      },
    })
    .returning({ id: connections.id });
  if (!written) throw new Error('A connection that was written has no id.');
  return written.id;
}

async function writeCredentials(
  { tx, now, credentialSealer }: Work,
  { applicationId, customerId }: ConnectLinkRow,
  { connectionId, providerName, grant, oauthClientId }: Granted & { readonly connectionId: string },
): Promise<void> {
  const { accessToken, refreshToken, expiresAt } = grant;
  const place = { applicationId, customerId, providerName };
  const secret = { type: 'oauth2', accessToken, refreshToken, expiresAt } as const;
  const sealed = { ...sealCredentials(credentialSealer, place, secret), oauthClientId, updatedAt: now };
  await tx
    .insert(credentials)
    .values({ connectionId, applicationId, generation: 1, ...sealed })
    .onConflictDoUpdate({
      target: credentials.connectionId,
      set: { ...sealed, generation: sql`${credentials.generation} + 1` },
    });
}

/** Who granted is a person: that stays here. */
function toEventAccount(account: ConnectedAccount | null) {
  return account && { id: account.id, name: account.name, url: account.url };
}

function pickEnd({ status, failure }: ConnectLink) {
  return { status, failure };
}

/** What was granted, until the application confirms it: sealed, and bound to its link. */
export function sealGrant(sealer: Sealer, linkId: string, kept: KeptGrant): SealedText {
  return sealWithKeyId(sealer, JSON.stringify(kept), bindGrant(linkId));
}

export function openGrant(sealer: Sealer, linkId: string, sealed: string): KeptGrant {
  const opened = sealer.open(sealed, bindGrant(linkId));
  if (opened === undefined) throw new Error('A kept grant does not open: altered, moved, or its key is gone');
  return JSON.parse(opened) as KeptGrant;
}

/** The verifier of PKCE, bound to the state that it was made with. */
export function sealVerifier(sealer: Sealer, stateHash: string, verifier: string): SealedText {
  return sealWithKeyId(sealer, verifier, bindVerifier(stateHash));
}

/** Undefined where its key is gone from the ring: the flow cannot be finished. */
export function openVerifier(sealer: Sealer, stateHash: string, sealed: string): string | undefined {
  return sealer.open(sealed, bindVerifier(stateHash));
}

/** For a change of keys: links wait for their confirmation, and customers for their way back. */
export function sealedConnectTables(engine: Engine, sealer: Sealer): readonly SealedTable[] {
  return [
    createSealedTable<{ readonly id: string }>(engine, {
      ...{ table: 'connect_links', key: ['id'], place: { id: 'id' }, columns: ['sealed_grant'], sealer },
      isShortLived: true,
      bindingOf: ({ id }) => bindGrant(id),
    }),
    createSealedTable<{ readonly stateHash: string }>(engine, {
      ...{ table: 'connect_flows', key: ['state_hash'], place: { stateHash: 'state_hash' } },
      ...{ columns: ['sealed_verifier'], sealer, bindingOf: ({ stateHash }) => bindVerifier(stateHash) },
      isShortLived: true,
    }),
  ];
}

function bindGrant(linkId: string): string {
  return JSON.stringify(['connect_links.sealed_grant', linkId]);
}

function bindVerifier(stateHash: string): string {
  return JSON.stringify(['connect_flows.sealed_verifier', stateHash]);
}

/** A link as it is at this moment: one whose time is up has ended, whether or not the sweep has come by. */
export function toConnectLink(row: ConnectLinkRow, now: Date): ConnectLink {
  return { ...toStored(row), ...toEnd(row, now) };
}

function toEnd({ status, failure, expiresAt, codeExpiresAt }: ConnectLinkRow, now: Date): End {
  const isOpen = status === 'PENDING' || status === 'STARTED';
  if (isOpen && expiresAt <= now) return { status: 'EXPIRED', failure: 'EXPIRED' };
  if (status === 'AWAITING_CONFIRMATION' && (codeExpiresAt ?? now) <= now) {
    return { status: 'FAILED', failure: 'NOT_CONFIRMED' };
  }
  return { status, failure };
}

function toStored(row: ConnectLinkRow): Omit<ConnectLink, keyof End> {
  return {
    id: row.id,
    applicationId: row.applicationId,
    customerId: row.customerId,
    providers: row.providers,
    returnUrl: row.returnUrl,
    mode: row.mode,
    confirm: row.confirm,
    loginUrl: row.loginUrl,
    optionalScopes: row.optionalScopes,
    allowAccountChange: row.allowAccountChange,
    providerName: row.providerName,
    connectionId: row.connectionId,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
  };
}

interface LinkFailure extends Pick<ConnectLinkRow, 'providerName'> {
  readonly status: 'FAILED' | 'EXPIRED';
  readonly failure: ConnectFailure;
}

interface Granted extends KeptGrant {
  readonly providerName: ProviderName;
}

/** One transaction. */
export interface Work {
  readonly tx: Transaction;
  readonly now: Date;
  readonly credentialSealer: Sealer;
  /** In this transaction. */
  appendEvent(applicationId: string, event: NewEvent): Promise<void>;
}

export type Transaction = Parameters<Parameters<Engine['orm']['transaction']>[0]>[0];

interface KeptGrant {
  readonly grant: Grant;
  readonly oauthClientId: string;
}

export type ConnectLinkRow = typeof connectLinks.$inferSelect;

type End = Pick<ConnectLink, 'status' | 'failure'>;
