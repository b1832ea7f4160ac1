import { randomUUID } from 'node:crypto';
import { and, eq, inArray, lt, lte, or } from 'drizzle-orm';
import {
  type Confirmation,
  type ConnectLinkStore,
  type NewConnectLink,
  OPEN_STATUSES,
} from '../domain/connect-link.ts';
import { isStorable } from '../lib/text.ts';
import {
  type ConnectLinkRow,
  completeLink,
  failLink,
  isOtherAccount,
  lockLink,
  openGrant,
  toConnectLink,
  type Work,
} from './complete-connect-link.ts';
import { type ConnectDeps, createConnectWork } from './connect-flows.ts';
import { connectLinks } from './connect-schema.ts';
import { customers } from './schema.ts';

/** Opens the links of one application. */
export function createConnectLinks(deps: ConnectDeps): (applicationId: string) => ConnectLinkStore {
  const { engine, clock } = deps;
  const { orm } = engine;
  const run = createConnectWork(deps);
  return (applicationId) => {
    const own = (id: string) => and(eq(connectLinks.id, id), eq(connectLinks.applicationId, applicationId));
    const findRow = async (id: string): Promise<ConnectLinkRow | undefined> => {
      if (!UUID.test(id)) return undefined;
      const [row] = await engine.repeatable(() => orm.select().from(connectLinks).where(own(id)));
      return row;
    };
    const find = async (id: string) => {
      const row = await findRow(id);
      return row && toConnectLink(row, new Date(clock.wall()));
    };
    return {
      find,
      create: (link) =>
        run(async ({ tx, now }) => {
          if (!(await lockCustomer(tx, applicationId, link.customerId))) return undefined;
          const values = toRow(applicationId, link, now);
          const [row] = await tx.insert(connectLinks).values(values).returning();
          return row && toConnectLink(row, now);
        }),
      async cancel(id) {
        if (!UUID.test(id)) return undefined;
        const now = new Date(clock.wall());
        const canceled = { ...NOTHING_KEPT, status: 'CANCELED', updatedAt: now } as const;
        await engine.repeatable(() =>
          orm
            .update(connectLinks)
            .set(canceled)
            .where(and(own(id), inArray(connectLinks.status, CANCELABLE))),
        );
        return find(id);
      },
      async confirm(id, codeHash) {
        if (!(await findRow(id))) return undefined;
        return run((work) => confirm(deps, work, { id, codeHash }));
      },
    };
  };
}

async function confirm(
  { sealer }: ConnectDeps,
  work: Work,
  { id, codeHash }: { readonly id: string; readonly codeHash: string },
): Promise<Confirmation | undefined> {
  const row = await lockLink(work, id);
  if (!row) return undefined;
  const { status, sealedGrant, providerName } = row;
  const isRight = status === 'AWAITING_CONFIRMATION' && row.codeHash === codeHash;
  if (!isRight || sealedGrant === null || providerName === null) {
    return { outcome: 'refused', link: toConnectLink(row, work.now) };
  }
  const granted = { ...openGrant(sealer, id, sealedGrant), providerName };
  if (await isOtherAccount(work, row, granted)) {
    const failed = { status: 'FAILED', failure: 'ACCOUNT_MISMATCH', providerName } as const;
    return { outcome: 'ended', link: await failLink(work, row, failed) };
  }
  return { outcome: 'confirmed', link: await completeLink(work, row, granted) };
}

async function lockCustomer(tx: Work['tx'], applicationId: string, customerId: string): Promise<boolean> {
  if (!isStorable(customerId)) return false;
  const found = await tx
    .select({ id: customers.customerId })
    .from(customers)
    .where(and(eq(customers.applicationId, applicationId), eq(customers.customerId, customerId)))
    .for('key share');
  return found.length > 0;
}

function toRow(applicationId: string, link: NewConnectLink, now: Date): typeof connectLinks.$inferInsert {
  return {
    ...link,
    id: randomUUID(),
    applicationId,
    providers: [...link.providers],
    optionalScopes: [...link.optionalScopes],
    status: 'PENDING',
    createdAt: now,
    updatedAt: now,
  };
}

/** Also while it waits for its confirmation: what was granted is forgotten then. */
const CANCELABLE = [...OPEN_STATUSES, 'AWAITING_CONFIRMATION'] as const;

const NOTHING_KEPT = { sealedGrant: null, keyId: null, codeHash: null, codeExpiresAt: null };

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Ends the links whose time is up, each with its event, and removes those that ended days ago. Any number of processes may
 * do it at once: what one has locked, the others pass over.
 */
export function createConnectSweep(deps: ConnectDeps): () => Promise<ConnectSweep> {
  const run = createConnectWork(deps);
  return async () => ({ ended: await endAllOverdue(run), removed: await removeOld(deps) });
}

function endOverdue(run: ReturnType<typeof createConnectWork>): Promise<number> {
  return run(async (work) => {
    const { tx, now } = work;
    const isOver = or(
      and(inArray(connectLinks.status, [...OPEN_STATUSES]), lte(connectLinks.expiresAt, now)),
      and(eq(connectLinks.status, 'AWAITING_CONFIRMATION'), lte(connectLinks.codeExpiresAt, now)),
    );
    const rows = await tx
      .select()
      .from(connectLinks)
      .where(isOver)
      .limit(BATCH)
      .for('update', { skipLocked: true });
    for (const row of rows) {
      const { status, failure } = toConnectLink(row, now);
      const { providerName } = row;
      if (status === 'EXPIRED' || status === 'FAILED') {
        await failLink(work, row, { status, failure: failure ?? 'EXPIRED', providerName });
      }
    }
    return rows.length;
  });
}

/** Where more has ended than fits into one transaction, others follow: what is left would only grow. */
async function endAllOverdue(run: ReturnType<typeof createConnectWork>): Promise<number> {
  let total = 0;
  for (let ended = BATCH; ended === BATCH; total += ended) ended = await endOverdue(run);
  return total;
}

async function removeOld({ engine, clock }: ConnectDeps): Promise<number> {
  const old = new Date(clock.wall() - KEPT_MS);
  const removed = await engine.repeatable(() =>
    engine.orm
      .delete(connectLinks)
      .where(and(lt(connectLinks.updatedAt, old), lt(connectLinks.expiresAt, old)))
      .returning({ id: connectLinks.id }),
  );
  return removed.length;
}

const BATCH = 200;
/** A week, for support to look at what became of a link. */
const KEPT_MS = 7 * 24 * 60 * 60_000;

export interface ConnectSweep {
  readonly ended: number;
  readonly removed: number;
}
