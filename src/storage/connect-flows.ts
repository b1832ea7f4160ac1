import { and, count, eq, gt, inArray, isNull } from 'drizzle-orm';
import {
  CONFIRMATION_SECONDS,
  type ConnectFlow,
  type ConnectFlowStore,
  type FinishedFlow,
  type FlowEnd,
  MAX_FLOWS,
  type NewConnectFlow,
  OPEN_STATUSES,
} from '../domain/connect-link.ts';
import type { Clock } from '../lib/clock.ts';
import {
  completeLink,
  failLink,
  isOtherAccount,
  lockLink,
  openVerifier,
  sealGrant,
  sealVerifier,
  toConnectLink,
  type Work,
} from './complete-connect-link.ts';
import { connectFlows, connectLinks } from './connect-schema.ts';
import type { Engine } from './engine/open.ts';
import { appendEvents } from './events.ts';
import { applications, customers } from './schema.ts';
import type { Sealer } from './sealing/seal.ts';

/** For the pages of links, which know an application only by a link whose signature was checked, or by a state. */
export function createConnectFlows(deps: ConnectDeps): ConnectFlowStore {
  const { engine, clock, sealer } = deps;
  const { orm } = engine;
  const run = createConnectWork(deps);
  const now = () => new Date(clock.wall());
  return {
    async findLink(linkId) {
      const [row] = await engine.repeatable(() =>
        orm
          .select({ link: connectLinks, applicationName: applications.name, customerName: customers.name })
          .from(connectLinks)
          .innerJoin(applications, eq(applications.id, connectLinks.applicationId))
          .innerJoin(
            customers,
            and(
              eq(customers.applicationId, connectLinks.applicationId),
              eq(customers.customerId, connectLinks.customerId),
            ),
          )
          .where(eq(connectLinks.id, linkId)),
      );
      return row && { ...row, link: toConnectLink(row.link, now()) };
    },

    start: (flow) => run((work) => start(deps, work, flow)),

    async findByState(stateHash) {
      const rows = await engine.repeatable(() =>
        orm.select().from(connectFlows).where(eq(connectFlows.stateHash, stateHash)),
      );
      return rows.flatMap((row) => toFlow(deps, row))[0];
    },

    async findByCookies(providerName, cookieHashes) {
      if (cookieHashes.length === 0) return [];
      const rows = await engine.repeatable(() =>
        orm
          .select()
          .from(connectFlows)
          .where(
            and(
              eq(connectFlows.providerName, providerName),
              inArray(connectFlows.cookieHash, [...cookieHashes]),
              isNull(connectFlows.usedAt),
            ),
          ),
      );
      return rows.flatMap((row) => toFlow(deps, row));
    },

    async take(stateHash) {
      const taken = await engine.once(() =>
        orm
          .update(connectFlows)
          .set({ usedAt: now() })
          .where(and(eq(connectFlows.stateHash, stateHash), isNull(connectFlows.usedAt)))
          .returning({ linkId: connectFlows.linkId }),
      );
      return taken.length > 0;
    },

    finish: (linkId, finished) => run((work) => finish(sealer, work, linkId, finished)),

    fail: (linkId, failed) =>
      run(async (work) => {
        const row = await lockLink(work, linkId);
        if (!row || !isOpen(row)) return false;
        await failLink(work, row, { status: 'FAILED', ...failed });
        return true;
      }),
  };
}

async function start({ sealer }: ConnectDeps, { tx, now }: Work, flow: NewConnectFlow) {
  const { linkId, stateHash, providerName, cookieHash, loginOrigin, oauthClientId } = flow;
  const started = await tx
    .update(connectLinks)
    .set({ status: 'STARTED', providerName, updatedAt: now })
    .where(
      and(
        eq(connectLinks.id, linkId),
        inArray(connectLinks.status, [...OPEN_STATUSES]),
        gt(connectLinks.expiresAt, now),
      ),
    )
    .returning({ id: connectLinks.id });
  if (started.length === 0) return 'ended' as const;
  const [flows] = await tx
    .select({ count: count() })
    .from(connectFlows)
    .where(eq(connectFlows.linkId, linkId));
  if ((flows?.count ?? 0) >= MAX_FLOWS) return 'too many' as const;
  const { sealed: sealedVerifier, keyId } = sealVerifier(sealer, stateHash, flow.codeVerifier);
  await tx.insert(connectFlows).values({
    ...{ stateHash, linkId, providerName, cookieHash, loginOrigin, oauthClientId },
    ...{ sealedVerifier, keyId, createdAt: now },
  });
  return 'started' as const;
}

async function finish(
  sealer: ConnectDeps['sealer'],
  work: Work,
  linkId: string,
  { providerName, grant, oauthClientId, codeHash }: FinishedFlow,
): Promise<FlowEnd> {
  const row = await lockLink(work, linkId);
  if (!row) return { link: undefined, isOurs: false };
  if (!isOpen(row)) return { link: toConnectLink(row, work.now), isOurs: false };
  const granted = { providerName, grant, oauthClientId };
  if (await isOtherAccount(work, row, granted)) {
    const failed = { status: 'FAILED', failure: 'ACCOUNT_MISMATCH', providerName } as const;
    return { link: await failLink(work, row, failed), isOurs: true };
  }
  if (codeHash === undefined) return { link: await completeLink(work, row, granted), isOurs: true };
  const { sealed: sealedGrant, keyId } = sealGrant(sealer, linkId, { grant, oauthClientId });
  const codeExpiresAt = new Date(work.now.getTime() + CONFIRMATION_SECONDS * 1_000);
  const [waiting] = await work.tx
    .update(connectLinks)
    .set({
      ...{ status: 'AWAITING_CONFIRMATION', providerName, sealedGrant, keyId, codeHash, codeExpiresAt },
      updatedAt: work.now,
    })
    .where(eq(connectLinks.id, linkId))
    .returning();
  return { link: waiting && toConnectLink(waiting, work.now), isOurs: true };
}

function isOpen({ status }: Pick<typeof connectLinks.$inferSelect, 'status'>): boolean {
  return status === 'PENDING' || status === 'STARTED';
}

/** One whose verifier does not open, because its key is gone, is no flow any more. */
function toFlow({ sealer }: ConnectDeps, row: typeof connectFlows.$inferSelect): ConnectFlow[] {
  const codeVerifier = openVerifier(sealer, row.stateHash, row.sealedVerifier);
  if (codeVerifier === undefined) return [];
  const { stateHash, linkId, providerName, cookieHash, loginOrigin, oauthClientId, usedAt } = row;
  const flow = { stateHash, linkId, providerName, cookieHash, loginOrigin, oauthClientId };
  return [{ ...flow, codeVerifier, isUsed: usedAt !== null }];
}

/** Runs a change of a link as one transaction. */
export function createConnectWork({
  engine,
  clock,
  credentialSealer,
  onAppended,
}: ConnectDeps): RunConnectWork {
  return async (work) => {
    const result = await engine.once(() =>
      engine.orm.transaction((tx) => {
        const now = new Date(clock.wall());
        return work({
          ...{ tx, credentialSealer, now },
          appendEvent: (applicationId, event) =>
            appendEvents(tx, { applicationId, at: now, events: [event] }),
        });
      }),
    );
    onAppended();
    return result;
  };
}

type RunConnectWork = <T>(work: (work: Work) => Promise<T>) => Promise<T>;

export interface ConnectDeps {
  readonly engine: Engine;
  readonly clock: Pick<Clock, 'wall'>;
  /** For verifiers, and for grants until they are confirmed. */
  readonly sealer: Sealer;
  readonly credentialSealer: Sealer;
  /** Events may be there that were not. */
  readonly onAppended: () => void;
}
