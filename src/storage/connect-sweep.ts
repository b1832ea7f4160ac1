import { and, eq, inArray, lt, lte, or } from 'drizzle-orm';
import { OPEN_STATUSES } from '../domain/connect-link.ts';
import { failLink } from './complete-connect-link.ts';
import { type ConnectDeps, createConnectWork } from './connect-flows.ts';
import { toConnectLink } from './connect-links.ts';
import { connectLinks } from './connect-schema.ts';

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
