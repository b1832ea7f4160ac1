import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../lib/clock.ts';
import type { Engine } from './engine/engine.ts';
import { findPending } from './engine/migrate.ts';
import type { Maintenance } from './maintenance.ts';

/** Can this process do its work with this database? Asked every few seconds by whoever sends requests our way. */
export function createReadiness({ engine, maintenance }: Deps): () => Promise<Readiness> {
  let keys = { isWell: true, checkedAt: Number.NEGATIVE_INFINITY };
  let running: Promise<Readiness> | undefined;
  return () => {
    // A database that hangs is not asked once more by everybody who asks us.
    running ??= within(PATIENCE_MS, check()).finally(() => {
      running = undefined;
    });
    return running;
  };

  async function check(): Promise<Readiness> {
    await engine.ping();
    const migrations = (await findPending(engine)).length === 0;
    return { database: true, migrations, keys: migrations && (await checkKeys()) };
  }

  /** Another process, with a newer ring, may have sealed what this one cannot open. */
  async function checkKeys(): Promise<boolean> {
    const now = systemClock.now();
    if (now - keys.checkedAt < KEYS_EVERY_MS) return keys.isWell;
    keys = { isWell: (await maintenance.findUnreadableKeys()).length === 0, checkedAt: now };
    return keys.isWell;
  }
}

async function within(patienceMs: number, work: Promise<Readiness>): Promise<Readiness> {
  const controller = new AbortController();
  const tired = wait(patienceMs, AWAY, { signal: controller.signal }).catch(() => AWAY);
  const readiness = await Promise.race([work.catch(() => AWAY), tired]);
  controller.abort();
  return readiness;
}

/** Shorter than the patience of usual probes. */
const PATIENCE_MS = 2_000;
const KEYS_EVERY_MS = 30_000;
const AWAY: Readiness = { database: false, migrations: false, keys: false };

export interface Readiness {
  /** It answers. */
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
