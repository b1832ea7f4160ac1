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
  MAX_FLOWS,
  type NewConnectFlow,
  OPEN_STATUSES,
} from '../domain/connect-link.ts';
import { isStorable, isUuid } from '../lib/text.ts';
import { connectFlows, connectLinks } from './connect-schema.ts';
import { isCustomer } from './customers.ts';
import type { StoreDeps } from './database.ts';
import {
  type ConnectLinkRow,
  changeLink,
  completeLink,
  failLink,
  failOtherAccount,
  isOpen,
  lockLink,
  NO_GRANT,
  toConnectLink,
  type Work,
} from './end-connect-link.ts';
import { applications, customers } from './schema.ts';

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
  const opened = work.secrets.grant.open(sealedGrant, id);
  if (opened === undefined)
    throw new Error('A kept grant does not open: altered, moved, or its key is gone');
  const kept = JSON.parse(opened) as KeptGrant;
  const link = await completeLink(work, row, { ...kept, providerName });
  return { outcome: link.status === 'COMPLETED' ? 'confirmed' : 'ended', link };
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
          })
          .from(connectLinks)
          .innerJoin(applications, eq(applications.id, connectLinks.applicationId))
          .innerJoin(customers, isCustomer(connectLinks))
          .where(eq(connectLinks.id, linkId)),
      );
      return row && { ...row, link: toConnectLink(row.link, now()) };
    },

    start: (flow) => changeLink(deps, (work) => start(work, flow)),

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
  };

  /** A flow whose PKCE verifier cannot be decrypted, because its key is gone, is ignored. */
  async function findFlows(condition: SQL | undefined): Promise<ConnectFlow[]> {
    const rows = await engine.repeatable(() => orm.select().from(connectFlows).where(condition));
    return rows.flatMap(({ sealedVerifier, keyId, createdAt, usedAt, ...flow }) => {
      const codeVerifier = secrets.verifier.open(sealedVerifier, flow.stateHash);
      return codeVerifier === undefined ? [] : [{ ...flow, codeVerifier, isUsed: usedAt !== null }];
    });
  }
}

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
  const { rowCount } = await tx
    .update(connectLinks)
    .set({ status: 'STARTED', providerName, updatedAt: now })
    .where(
      and(
        eq(connectLinks.id, linkId),
        inArray(connectLinks.status, OPEN_STATUSES),
        gt(connectLinks.expiresAt, now),
      ),
    );
  if (rowCount === 0) return 'ended' as const;
  const flows = await tx.$count(connectFlows, eq(connectFlows.linkId, linkId));
  if (flows >= MAX_FLOWS) return 'too many' as const;
  const { sealed: sealedVerifier, keyId } = secrets.verifier.seal(codeVerifier, stateHash);
  await tx.insert(connectFlows).values({ ...flow, sealedVerifier, keyId, createdAt: now });
  return 'started' as const;
}

async function finish(work: Work, linkId: string, finished: FinishedFlow): Promise<FlowEnd> {
  const row = await lockLink(work, linkId);
  if (!row) return { link: undefined, isOurs: false };
  if (!isOpen(row)) return { link: toConnectLink(row, work.now), isOurs: false };
  if (finished.codeHash === undefined)
    return { link: await completeLink(work, row, finished), isOurs: true };
  const failed = await failOtherAccount(work, row, finished);
  return { link: failed ?? (await awaitConfirmation(work, row, finished)), isOurs: true };
}

async function awaitConfirmation(
  { tx, now, secrets }: Work,
  { id }: ConnectLinkRow,
  finished: FinishedFlow,
) {
  const { providerName, codeHash, grant, oauthClientId } = finished;
  const kept: KeptGrant = { grant, oauthClientId };
  const { sealed: sealedGrant, keyId } = secrets.grant.seal(JSON.stringify(kept), id);
  const codeExpiresAt = new Date(now.getTime() + CONFIRMATION_SECONDS * 1_000);
  const [waiting] = await tx
    .update(connectLinks)
    .set({
      status: 'AWAITING_CONFIRMATION',
      providerName,
      sealedGrant,
      keyId,
      codeHash,
      codeExpiresAt,
      updatedAt: now,
    })
    .where(eq(connectLinks.id, id))
    .returning();
  return waiting && toConnectLink(waiting, now);
}

type KeptGrant = Pick<FinishedFlow, 'grant' | 'oauthClientId'>;
