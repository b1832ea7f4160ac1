import { setTimeout as wait } from 'node:timers/promises';
import { createSingleFlight } from '../lib/cache.ts';
import { systemClock } from '../lib/clock.ts';
import { findPending } from './engine/migrate.ts';
import type { Engine } from './engine/open.ts';
import type { Maintenance } from './maintenance.ts';

/**
 * Can this process do its work with this database? Asked every few seconds by whoever sends requests our way. A full pool
 * and a locked table are no reason to send them elsewhere: other processes have the same database.
 */
export function createReadiness({ engine, maintenance }: Deps): () => Promise<Readiness> {
  // As the start has left them. Where they cannot be looked at, they are as they were last seen.
  const last = { migrations: true, keys: true, keysCheckedAt: Number.NEGATIVE_INFINITY };
  // Probes that come at the same time share one check: a database that hangs is not asked once more by each.
  const checking = createSingleFlight<Readiness>();
  const learning = createSingleFlight<void>();
  return () => checking(check);

  async function check(): Promise<Readiness> {
    const state = await withDeadline(PING_MS, engine.ping());
    if (!state || state.isReadOnly) return { database: false, migrations: false, keys: false };
    await withDeadline(LEARN_MS, learning(learn));
    const { migrations, keys } = last;
    return { database: true, migrations, keys: migrations && keys };
  }

  async function learn(): Promise<void> {
    last.migrations = (await findPending(engine)).length === 0;
    const now = systemClock.now();
    if (!last.migrations || now - last.keysCheckedAt < KEYS_EVERY_MS) return;
    // Another process, with a newer ring, may have sealed what this one cannot open.
    last.keys = (await maintenance.findUnreadableKeys()).length === 0;
    last.keysCheckedAt = now;
  }
}

/** Undefined where it fails or takes longer. */
async function withDeadline<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const controller = new AbortController();
  const { signal } = controller;
  const late = wait(ms, undefined, { signal }).catch(() => undefined);
  const result = await Promise.race([work.catch(() => undefined), late]);
  controller.abort();
  return result;
}

/** Both together: shorter than the patience of usual probes. */
const PING_MS = 1_500;
const LEARN_MS = 500;
const KEYS_EVERY_MS = 30_000;

export interface Readiness {
  /** It answers, and can be written to. */
  readonly database: boolean;
  /** It has every table that this version needs. */
  readonly migrations: boolean;
  /** What is sealed in it can be opened. */
  readonly keys: boolean;
}

interface Deps {
  readonly engine: Engine;
  readonly maintenance: Pick<Maintenance, 'findUnreadableKeys'>;
}
