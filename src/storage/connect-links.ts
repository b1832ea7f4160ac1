import { randomUUID } from 'node:crypto';
import { and, eq, gt, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import {
  CONFIRMATION_SECONDS,
  type Confirmation,
  type ConnectFlow,
  type ConnectFlowStore,
  type ConnectLinkStore,
  type FinishedFlow,
  type FlowEnd,
  MATCHING_SECONDS,
  MAX_FLOWS,
  MAX_UNINSTALLED,
  type MatchedFields,
  type NewConnectFlow,
  OPEN_STATUSES,
  type StoredGrant,
} from '../domain/connect-link.ts';
import type { ConnectionSyncConfig } from '../domain/connection.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import { type AllowedRecords, toAllowedRecords } from '../domain/record-access.ts';
import { type StoredConfiguration, withLaterSettings } from '../domain/sync.ts';
import { toCopiedRecords } from '../domain/sync-plan.ts';
import { isStorable, isUuid } from '../lib/text.ts';
import { connectFlows, connectLinks } from './connect-schema.ts';
import { isCustomer } from './customer-rows.ts';
import {
  type ConnectLinkRow,
  changeLink,
  checkGrant,
  completeLink,
  endLink,
  failLink,
  isLink,
  isOpen,
  lockLink,
  NO_GRANT,
  toConnectLink,
  type Work,
  writeChoices,
} from './end-connect-link.ts';
import { applications, branding, customers } from './schema.ts';
import type { StoreDeps } from './store-deps.ts';

/** The connect links of one application. */
export function createConnectLinks(deps: StoreDeps, applicationId: string): ConnectLinkStore {
  const { engine, now } = deps;
  const { orm } = engine;
  const own = (id: string) =>
    and(eq(connectLinks.id, id), eq(connectLinks.applicationId, applicationId));
  const find = async (id: string) => {
    if (!isUuid(id)) return undefined;
    const [row] = await engine.repeatable(() => orm.select().from(connectLinks).where(own(id)));
    return row && toConnectLink(row, now());
  };
  return {
    find,
    create: (link) =>
      changeLink(deps, async ({ tx, now }) => {
        if (!(await lockCustomer(tx, applicationId, link.customerId))) return undefined;
        const [row] = await tx
          .insert(connectLinks)
          .values({
            ...link,
            id: randomUUID(),
            applicationId,
            status: 'PENDING',
            createdAt: now,
            updatedAt: now,
          })
          .returning();
        return row && toConnectLink(row, now);
      }),
    async cancel(id) {
      if (!isUuid(id)) return undefined;
      const isCancelable = and(own(id), inArray(connectLinks.status, CANCELABLE));
      const canceled = { ...NO_GRANT, status: 'CANCELED', updatedAt: now() } as const;
      await engine.repeatable(() => orm.update(connectLinks).set(canceled).where(isCancelable));
      return find(id);
    },
    async confirm(id, codeHash) {
      if (!(await find(id))) return undefined;
      return changeLink(deps, (work) => confirm(work, id, codeHash));
    },
  };
}

async function confirm(
  work: Work,
  id: string,
  codeHash: string,
): Promise<Confirmation | undefined> {
  const row = await lockLink(work, id);
  if (!row) return undefined;
  const { status, sealedGrant, providerName } = row;
  const isRight = status === 'AWAITING_CONFIRMATION' && row.codeHash === codeHash;
  if (!isRight || sealedGrant === null || providerName === null) {
    return { outcome: 'refused', link: toConnectLink(row, work.now) };
  }
  const storedGrant = openGrant(work.secrets, sealedGrant, id);
  const { requested = toAllowedRecords(row) } = storedGrant;
  const link = await completeLink(work, row, { ...storedGrant, requested, providerName });
  return { outcome: link.status === 'COMPLETED' ? 'confirmed' : 'ended', link };
}

function openGrant(secrets: StoreDeps['secrets'], sealedGrant: string, id: string): StoredGrant {
  const opened = secrets.grant.open(sealedGrant, id);
  if (opened === undefined)
    throw new Error('A kept grant does not open: altered, moved, or its key is gone');
  return JSON.parse(opened) as StoredGrant;
}

async function lockCustomer(
  tx: Work['tx'],
  applicationId: string,
  customerId: string,
): Promise<boolean> {
  if (!isStorable(customerId)) return false;
  const isLocked = isCustomer({ applicationId, customerId });
  const { rowCount } = await tx.execute(
    sql`select from ${customers} where ${isLocked} for key share`,
  );
  return rowCount === 1;
}

/** A link that awaits confirmation can be canceled too; its grant is then deleted. */
const CANCELABLE = [...OPEN_STATUSES, 'AWAITING_CONFIRMATION'] as const;

/** What the customer's connections allow. */
const ALLOWED = sql<readonly AllowedRow[]>`(
  select coalesce(json_agg(json_build_object('provider', connection.provider_name,
    'readableRecords', connection.readable_records, 'writableRecords', connection.writable_records)), '[]')
  from crossbook.connections as connection
  where connection.application_id = ${connectLinks.applicationId}
    and connection.customer_id = ${connectLinks.customerId}
)`;

interface AllowedRow extends AllowedRecords {
  readonly provider: ProviderName;
}

/** What is synced of each provider, with what the customer's connection overrides. Empty without a destination. */
const COPIED = sql<readonly CopiedRow[]>`(
  select coalesce(json_agg(json_build_object('provider', configured.provider_name,
    'configuration', configured.configuration, 'override', connection.connection_sync_config)), '[]')
  from crossbook.sync_configurations as configured
  left join crossbook.connections as connection
    on connection.application_id = configured.application_id
    and connection.customer_id = ${connectLinks.customerId}
    and connection.provider_name = configured.provider_name
  where configured.application_id = ${connectLinks.applicationId} and exists (
    select from crossbook.sync_destinations where application_id = ${connectLinks.applicationId}
  )
)`;

interface CopiedRow {
  readonly provider: ProviderName;
  readonly configuration: StoredConfiguration;
  readonly override: ConnectionSyncConfig | null;
}

/** For the pages of links, which know an application only by a link with a verified signature, or by a state. */
export function createConnectFlows(deps: StoreDeps): ConnectFlowStore {
  const { engine, now, secrets } = deps;
  const { orm } = engine;
  return {
    async findLink(linkId) {
      const [row] = await engine.repeatable(() =>
        orm
          .select({
            link: connectLinks,
            applicationName: applications.name,
            customerName: customers.name,
            displayName: branding.displayName,
            accentColor: branding.accentColor,
            hasLogo: sql<boolean>`${branding.logo} is not null`,
            copied: COPIED,
            allowed: ALLOWED,
          })
          .from(connectLinks)
          .innerJoin(
            applications,
            and(eq(applications.id, connectLinks.applicationId), isNull(applications.deletedAt)),
          )
          .leftJoin(branding, eq(branding.applicationId, connectLinks.applicationId))
          .innerJoin(customers, isCustomer(connectLinks))
          .where(eq(connectLinks.id, linkId)),
      );
      if (!row) return undefined;
      const { applicationName, customerName, displayName, accentColor, hasLogo } = row;
      return {
        link: toConnectLink(row.link, now()),
        applicationName,
        customerName,
        application: { name: displayName ?? applicationName, accentColor, hasLogo },
        sessionHash: findSession(row.link, now()),
        allowed: Object.fromEntries(
          row.allowed.map(({ provider, ...allowed }) => [provider, allowed]),
        ),
        copied: Object.fromEntries(
          row.copied.map(({ provider, configuration, override }) => [
            provider,
            toCopiedRecords(withLaterSettings(configuration), override),
          ]),
        ),
      };
    },

    start: (flow) => changeLink(deps, (work) => start(work, flow)),

    findGranted: (providerName, { clientId, accountId, userId }) =>
      engine.query(FIND_GRANTED, [providerName, accountId, userId, clientId, MAX_UNINSTALLED]),

    findByState: async (stateHash) => (await findFlows(eq(connectFlows.stateHash, stateHash)))[0],

    async findByCookies(providerName, cookieHashes) {
      if (cookieHashes.length === 0) return [];
      return findFlows(
        and(
          eq(connectFlows.providerName, providerName),
          inArray(connectFlows.cookieHash, cookieHashes),
          isNull(connectFlows.usedAt),
        ),
      );
    },

    take: async (stateHash) => (await engine.query(TAKE_FLOW, [stateHash, now()])).length === 1,

    finish: (linkId, finished) => changeLink(deps, (work) => finish(work, linkId, finished)),

    fail: (linkId, failed) =>
      changeLink(deps, async (work) => {
        const row = await lockLink(work, linkId);
        if (!row || !isOpen(row)) return false;
        await failLink(work, row, { status: 'FAILED', ...failed });
        return true;
      }),

    async findGrant(linkId) {
      const [row] = await engine.repeatable(() =>
        orm.select().from(connectLinks).where(eq(connectLinks.id, linkId)),
      );
      if (!row?.sealedGrant || toConnectLink(row, now()).status !== 'AWAITING_CONFIRMATION')
        return undefined;
      return openGrant(secrets, row.sealedGrant, linkId);
    },

    matchFields: (linkId, matched) =>
      changeLink(deps, (work) => matchFields(work, linkId, matched)),
  };

  /** A flow whose PKCE verifier cannot be decrypted, because its key is gone, is ignored. */
  async function findFlows(condition: SQL | undefined): Promise<ConnectFlow[]> {
    const rows = await engine.repeatable(() => orm.select().from(connectFlows).where(condition));
    return rows.flatMap(({ applicationId, sealedVerifier, keyId, createdAt, usedAt, ...flow }) => {
      const codeVerifier = secrets.verifier.open(sealedVerifier, flow.stateHash);
      return codeVerifier === undefined ? [] : [{ ...flow, codeVerifier, isUsed: usedAt !== null }];
    });
  }
}

const FIND_GRANTED = {
  name: 'find_granted_connections',
  text: `
select connection.application_id as "applicationId", connection.customer_id as "customerId",
  connection.provider_name as "providerName", connection.id as "connectionId",
  connection.instance_url as "instanceUrl", stored.generation
from crossbook.connections as connection
join crossbook.credentials as stored
  on stored.application_id = connection.application_id and stored.connection_id = connection.id
where connection.provider_name = $1::text and connection.account_id = $2::text
  and connection.account_user_id = $3::text and stored.oauth_client_id = $4::text
order by connection.application_id, connection.id limit $5::int`,
};

const TAKE_FLOW = {
  name: 'take_connect_flow',
  isOnce: true,
  text: `
update crossbook.connect_flows set used_at = $2::timestamptz
where state_hash = $1::text and used_at is null
returning state_hash`,
};

async function start({ tx, now, secrets }: Work, { codeVerifier, ...flow }: NewConnectFlow) {
  const { linkId, stateHash, providerName } = flow;
  const [link] = await tx
    .update(connectLinks)
    .set({ status: 'STARTED', providerName, updatedAt: now })
    .where(
      and(
        eq(connectLinks.id, linkId),
        inArray(connectLinks.status, OPEN_STATUSES),
        gt(connectLinks.expiresAt, now),
      ),
    )
    .returning({ applicationId: connectLinks.applicationId });
  if (!link) return 'ended' as const;
  const isOfLink = and(
    eq(connectFlows.applicationId, link.applicationId),
    eq(connectFlows.linkId, linkId),
  );
  const flows = await tx.$count(connectFlows, isOfLink);
  if (flows >= MAX_FLOWS) return 'too many' as const;
  const { sealed: sealedVerifier, keyId } = secrets.verifier.seal(codeVerifier, stateHash);
  await tx.insert(connectFlows).values({ ...link, ...flow, sealedVerifier, keyId, createdAt: now });
  return 'started' as const;
}

async function finish(work: Work, linkId: string, finished: FinishedFlow): Promise<FlowEnd> {
  const row = await lockLink(work, linkId);
  if (!row) return { link: undefined, isOurs: false };
  if (!isOpen(row)) return { link: toConnectLink(row, work.now), isOurs: false };
  if (finished.codeHash === undefined) {
    const link = await completeLink(work, row, finished);
    if (link.status === 'COMPLETED') await openSession(work, row, finished.sessionHash);
    return { link, isOurs: true };
  }
  const checked = await checkGrant(work, row, finished);
  const link = 'failed' in checked ? checked.failed : await awaitConfirmation(work, row, finished);
  return { link, isOurs: true };
}

async function awaitConfirmation(
  { tx, now, secrets }: Work,
  row: ConnectLinkRow,
  finished: FinishedFlow,
) {
  const { providerName, codeHash, sessionHash, grant, oauthClientId, requested } = finished;
  const storedGrant: StoredGrant = { grant, oauthClientId, requested };
  const { sealed: sealedGrant, keyId } = secrets.grant.seal(JSON.stringify(storedGrant), row.id);
  const session = toSession(sessionHash, now);
  const codeExpiresAt = session.sessionExpiresAt ?? toCodeExpiry(now);
  const [waiting] = await tx
    .update(connectLinks)
    .set({
      status: 'AWAITING_CONFIRMATION',
      providerName,
      sealedGrant,
      keyId,
      codeHash,
      codeExpiresAt,
      ...session,
      updatedAt: now,
    })
    .where(isLink(row))
    .returning();
  return waiting && toConnectLink(waiting, now);
}

function toCodeExpiry(now: Date): Date {
  return new Date(now.getTime() + CONFIRMATION_SECONDS * 1_000);
}

/** The browser that gave consent may match fields for a while. */
function toSession(sessionHash: string | undefined, now: Date) {
  if (sessionHash === undefined) return { sessionHash: null, sessionExpiresAt: null };
  return { sessionHash, sessionExpiresAt: new Date(now.getTime() + MATCHING_SECONDS * 1_000) };
}

async function openSession(
  { tx, now }: Work,
  row: ConnectLinkRow,
  sessionHash: string | undefined,
) {
  if (sessionHash === undefined) return;
  await tx.update(connectLinks).set(toSession(sessionHash, now)).where(isLink(row));
}

function findSession(
  { sessionHash, sessionExpiresAt }: Pick<ConnectLinkRow, 'sessionHash' | 'sessionExpiresAt'>,
  now: Date,
): string | null {
  return (sessionExpiresAt ?? now) > now ? sessionHash : null;
}

async function matchFields(work: Work, linkId: string, matched: MatchedFields): Promise<FlowEnd> {
  const { tx, now } = work;
  const row = await lockLink(work, linkId);
  if (!row) return { link: undefined, isOurs: false };
  const { status, purpose, connectionId } = row;
  const { choices, codeHash } = matched;
  const isMapping = purpose === 'MAP_FIELDS' && isOpen(row);
  const session = findSession(row, now);
  const isConnecting = session !== null && session === matched.sessionHash;
  const hasGrant = status === 'AWAITING_CONFIRMATION' && codeHash !== undefined;
  if (!isMapping && !(isConnecting && (hasGrant || status === 'COMPLETED')))
    return { link: toConnectLink(row, now), isOurs: false };
  if (isConnecting && hasGrant) {
    const end = { sessionHash: null, sessionExpiresAt: null, fieldChoices: choices ?? null };
    const code = { codeHash, codeExpiresAt: toCodeExpiry(now) };
    const [waiting] = await tx
      .update(connectLinks)
      .set({ ...end, ...code, updatedAt: now })
      .where(isLink(row))
      .returning();
    return { link: waiting && toConnectLink(waiting, now), isOurs: true };
  }
  const isWritten =
    connectionId !== null &&
    (!choices || (await writeChoices(work, row, { connectionId, choices })));
  if (!isWritten) return { link: undefined, isOurs: false };
  return { link: await endLink(work, row, { status: 'COMPLETED' }), isOurs: true };
}
